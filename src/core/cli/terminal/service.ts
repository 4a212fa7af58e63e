import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../../server/errors.ts'

/** The setup of an installed package's service, from the JSON file that `TILLGATE_SERVICE` names. */
export type Service = { environment: string; account: string; dataDir: string }

/** Commands that use a database of their own, or reach a server by URL. */
const apart = new Set(['demo', 'simulate', 'listen', 'help', undefined])

/**
 * Makes a command of an installed package use the service's setup. The command takes over the service's settings that
 * the caller has not set; if root runs it, it also becomes the service's account. So it uses the same database and
 * leaves no files owned by root there. A command that names another database stays unchanged. Throws `CliError` for an
 * account other than root and the service's, which would use another database.
 */
export function joinService(command: string | undefined, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const path = env['TILLGATE_SERVICE']
  delete env['TILLGATE_SERVICE']
  if (path === undefined || apart.has(command) || args.some((arg) => ['--help', '-h'].includes(arg))) return
  const service = JSON.parse(readFileSync(path, 'utf8')) as Service
  if (namesAnother(args, env, service)) return
  const account = findAccount(service.account)
  const uid = process.getuid?.()
  if (account === undefined) {
    throw new CliError(
      'service_account',
      `the account of the Tillgate service, ${service.account}, is not in /etc/passwd: reinstall the package`,
    )
  }
  if (uid !== 0 && uid !== account.uid) {
    throw new CliError(
      'service_account',
      `Tillgate runs as a service with the account ${service.account} and the settings in ${service.environment}, which you cannot read: ` +
        'run this as root (sudo tillgate …), or choose another database with --data-dir or DATABASE_URL',
    )
  }
  for (const [name, value] of readEnvironment(service.environment)) env[name] ??= value
  env['TILLGATE_DATA_DIR'] ??= service.dataDir
  if (uid === 0) become(service.account, account)
}

function namesAnother(args: readonly string[], env: NodeJS.ProcessEnv, { dataDir }: Service): boolean {
  const valueOf = (flag: string) => {
    const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
    return at === -1 ? undefined : args[at] === flag ? (args[at + 1] ?? '') : args[at]?.slice(flag.length + 1)
  }
  if (valueOf('--database-url') !== undefined || env['DATABASE_URL'] !== undefined) return true
  const directory = valueOf('--data-dir') ?? env['TILLGATE_DATA_DIR']
  return directory !== undefined && resolve(directory) !== resolve(dataDir)
}

function become(name: string, { uid, gid }: { uid: number; gid: number }): void {
  const { initgroups } = process as { initgroups?: (user: string, extraGroup: number) => void }
  initgroups?.(name, gid)
  process.setgid?.(gid)
  process.setuid?.(uid)
}

function findAccount(name: string): { uid: number; gid: number } | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** Reads an `EnvironmentFile` like systemd (systemd.exec(5)); a missing file has no settings. */
function readEnvironment(path: string): Map<string, string> {
  if (!existsSync(path)) return new Map()
  const variables = new Map<string, string>()
  for (const line of readFileSync(path, 'utf8').replaceAll('\\\n', '').split('\n')) {
    const [, name, text] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (name === undefined || text === undefined) continue
    const [, quoted] = /^\s*(?:"((?:[^"\\]|\\.)*)"|'[^']*')\s*$/.exec(text) ?? []
    const [, plain] = /^\s*'([^']*)'\s*$/.exec(text) ?? []
    variables.set(name, plain ?? quoted?.replaceAll(/\\(["\\$`])/g, '$1') ?? text.trim())
  }
  return variables
}
