import { requirement, settingNames, settings, writtenDefault, type Setting } from '../src/core/config.ts'

const header = `# Settings of Tillgate, each with its default or an example. This file is made from the table in src/core/config.ts by \`npm run build\`.
# A flag of the same name wins over the variable. The services and the command of the Debian package read
# /etc/tillgate/tillgate.env, and keep their data in /var/lib/tillgate. Elsewhere Tillgate does not read such a file by itself: use
# \`docker run --env-file\`, \`EnvironmentFile=\` of systemd, or \`set -a; . ./.env; set +a\` in a shell.
`

function toEntry(setting: Setting): string {
  const { help, flag, env, example, defaultText } = setting
  const unset = defaultText === undefined ? '' : ` Default: ${defaultText}.`
  const value = example ?? writtenDefault(setting)
  const asFlag = flag.includes('<') ? flag : `${flag}, which takes no value; here`
  return `# ${help}${unset}\n# ${asFlag}: ${requirement(setting)}\n#${env}=${value}\n`
}

/** Returns the text of `.env.example`. */
export function envExample(): string {
  const groups = Map.groupBy(settingNames, (name) => settings[name].group)
  const sections = [...groups].map(([group, names]) => {
    return `\n# --- ${group} ---\n\n${names.map((name) => toEntry(settings[name])).join('\n')}`
  })
  return header + sections.join('')
}
