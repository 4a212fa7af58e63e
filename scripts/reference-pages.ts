// Writes docs/operate/commands.md and docs/operate/configuration.md from the program: `npm run make -- openapi` runs it.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requirement, settingNames, settings, writtenDefault, type Setting } from '../src/core/config.ts'

const root = join(import.meta.dirname, '..')

/** Runs the program with `--help` and resolves to what it printed. */
export type Help = (args: readonly string[]) => Promise<string>

type Row = { usage: string; about: string }

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** Escapes text for a table cell. */
const cell = (text: string) => text.replaceAll('|', String.raw`\|`)

const rowOf = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`

const tableOf = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [rowOf(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(rowOf)].join('\n')

/** Returns the entries under a heading of a help text, each with its description, which may span several lines. */
function listed(help: string, heading: string): Row[] {
  const [, part = ''] = help.split(`\n${heading}:\n`)
  const [lines = ''] = part.split('\n\n', 1)
  const rows = lines.split(/\n(?= {2}\S)/).map((entry) => {
    const [, usage = '', about = ''] = /^ {2}(\S.*?)(?: {2,}([^]*))?$/.exec(entry) ?? []
    return { usage, about: flat(about) }
  })
  return rows.filter(({ usage }) => usage !== '' && !usage.startsWith('help '))
}

const withoutOptions = (usage: string) => usage.replace(' [options]', '')

/** Resolves to the rows of a command and its subcommands. A command that only groups others has no row. */
async function rowsOf({ usage: name, about }: Row, help: Help): Promise<Row[]> {
  const text = await help([name])
  const [, usage = ''] = /^Usage: tillgate (.+)\n/.exec(text) ?? []
  const below = listed(text, 'Commands').map((row) => ({
    usage: `${name} ${withoutOptions(row.usage)}`,
    about: row.about,
  }))
  const holds = usage.endsWith('[command]')
  const own = { usage: withoutOptions(usage).replace(' [command]', ''), about }
  return holds ? below : [own, ...below]
}

export async function commandsPage(help: Help): Promise<string> {
  const text = await help([])
  const groups = [...text.matchAll(/^(\w[\w ]*):$/gm)]
    .map(([, heading = '']) => heading)
    .filter((heading) => !['Options', 'More'].includes(heading))
  const sections: string[] = []
  for (const heading of groups) {
    const rows = await Promise.all(listed(text, heading).map((row) => rowsOf(row, help)))
    const table = rows.flat().map(({ usage, about }) => [`\`${usage}\``, about])
    sections.push(`## ${heading}\n\n${tableOf(['Command', 'What it does'], table)}`)
  }
  return `# Commands

For people who run Tillgate. This page says what each command does. \`tillgate <command> --help\` shows its details, flags and examples.

In a clone, run \`npm run -s tillgate -- <command>\`. Every command has the flag \`--json\`. The exit code is 0 for success, 1 for a negative
result (such as a journal that does not verify), and 2 for wrong usage or an error.

${sections.join('\n\n')}

<!-- \`npm run make -- openapi\` writes this page. -->
`
}

function settingRow(setting: Setting): string[] {
  const { env, flag, help, defaultText } = setting
  const written = writtenDefault(setting)
  const value = defaultText ?? (written === '' ? 'none' : `\`${written}\``)
  return [`\`${env}\`<br>\`${flag}\``, value, `${help} Must be ${requirement(setting)}.`]
}

/** Returns the page of the settings. */
export function configurationPage(): string {
  const groups = Map.groupBy(settingNames, (name) => settings[name].group)
  const sections = [...groups].map(([group, names]) => {
    const rows = names.map((name) => settingRow(settings[name]))
    return `## ${group}\n\n${tableOf(['Setting', 'Default', 'What'], rows)}`
  })
  return `# Configuration

For people who run Tillgate. This page lists every setting of \`serve\` and of the commands that open the database.

A flag (\`--port\`) overrides its variable (\`TILLGATE_PORT\`), which overrides the default. \`.env.example\` has the same list as a file to start
from. Only the Debian package reads such a file by itself: \`/etc/tillgate/tillgate.env\`.

${sections.join('\n\n')}

<!-- \`npm run make -- openapi\` writes this page. -->
`
}

if (import.meta.main) {
  const run = promisify(execFile)
  const help: Help = async (args) => {
    const env = { ...process.env, NO_COLOR: '1' }
    return (await run(process.execPath, [join(root, 'src/main.ts'), ...args, '--help'], { env })).stdout
  }
  writeFileSync(join(root, 'docs/operate/commands.md'), await commandsPage(help))
  writeFileSync(join(root, 'docs/operate/configuration.md'), configurationPage())
}
