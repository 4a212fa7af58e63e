import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openPool } from '../../../src/core/store/db/database.ts'
import type { ConnectionOptions, Machine } from '../../../src/core/embedded/database.ts'
import { placeDatabase } from '../../support/data-template.ts'
import { eventually } from '../../support/waiting.ts'

const isRoot = process.getuid?.() === 0

/** Why a test is skipped, or false. */
export const needsRoot = isRoot ? false : 'needs root'

export const nobody = findAccount('nobody')

/** The account that root gives the server of a new data directory. */
export const serverAccount = ['tillgate', 'postgres'].map(findAccount).find(({ uid }) => uid > 0) ?? nobody

export function findAccount(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8').split('\n')
  const [, , uid, gid] = (line.find((line) => line.startsWith(`${name}:`)) ?? '').split(':')
  return { uid: Number(uid) | 0, gid: Number(gid) | 0 }
}

/**
 * Creates a directory of this test that everyone may enter. At the end of the test it is removed with all servers below
 * it and with the homes that its data directories point to.
 */
export async function makeSandbox(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tillgate-test-'))
  await chmod(directory, 0o755)
  t.after(async () => {
    const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path))
    const pointers = paths.filter((path) => path.endsWith('postgres.location'))
    const homes = await Promise.all(pointers.map((path) => readFile(path, 'utf8')))
    const files = [...paths, ...homes.map((home) => join(home, 'postgres/postmaster.pid'))]
    for (const file of new Set(files)) {
      if (file.endsWith('postmaster.pid') && existsSync(file)) await killPostmaster(file)
    }
    for (const path of [directory, ...homes]) await rm(path, { recursive: true, force: true, maxRetries: 5 })
    for (const home of homes) await rmdir(dirname(home)).catch(() => {})
  })
  return directory
}

/** Creates a data directory with a database, for tests that do not test its creation. */
export async function makeFilledSandbox(t: TestContext): Promise<string> {
  const dataDir = join(await makeSandbox(t), 'data')
  await placeDatabase(dataDir)
  return dataDir
}

async function killPostmaster(file: string): Promise<void> {
  const [pid = '', , , , socketDir = ''] = (await readFile(file, 'utf8')).split('\n')
  if (isPostgres(Number(pid))) process.kill(Number(pid), 'SIGQUIT')
  await until(() => !isPostgres(Number(pid)))
  if (/\/tillgate-[^/]{6}$/.test(socketDir)) await rm(socketDir, { recursive: true, force: true })
}

/** Returns whether a process with that id runs and is PostgreSQL (a zombie does not run). */
export function isPostgres(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('postgres')
  } catch {
    return false
  }
}

/** Waits for a condition. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  eventually(condition, 'the condition comes true')

/** Runs statements in one session. */
export async function query(connection: ConnectionOptions, ...statements: string[]): Promise<Record<string, any>[]> {
  const sql = openPool(connection, { connections: 1, pipelining: true })
  try {
    let rows: Record<string, any>[] = []
    for (const statement of statements) rows = await sql.unsafe(statement)
    return rows
  } finally {
    await sql.end()
  }
}

export type Opened = { started: boolean; pid: number; notices: string[]; connection: ConnectionOptions; error?: string }

/** Starts another process that opens the data directory; `opened` is its report. */
export function startOpener(
  t: TestContext,
  dataDir: string,
  options: { uid?: number; gid?: number; detached?: boolean; machine?: Partial<Machine> } = {},
): { child: ChildProcessWithoutNullStreams; opened: Promise<Opened>; end: (word?: string) => Promise<void> } {
  const { machine, ...spawnOptions } = options
  const script = fileURLToPath(new URL('opener.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir, JSON.stringify(machine ?? {})], { ...spawnOptions, cwd: '/' })
  t.after(() => child.kill('SIGKILL'))
  child.stderr.pipe(process.stderr)
  const opened = once(createInterface(child.stdout), 'line').then(([line]) => JSON.parse(line as string) as Opened)
  const exited = once(child, 'exit')
  const end = async (word?: string) => {
    child.stdin.end(word)
    await exited
  }
  return { child, opened, end }
}

/** Returns why a child process of `nobody` cannot run here, or false: it needs access to this clone and to Node. */
export function needsReachableCheckout(): string | false {
  if (!isRoot) return 'needs root'
  return isOpenToAll(process.execPath) && isOpenToAll(fileURLToPath(import.meta.url))
    ? false
    : 'this checkout or Node is in a directory that other users may not enter'
}

function isOpenToAll(path: string): boolean {
  for (let directory = join(path, '..'); ; directory = join(directory, '..')) {
    if ((statSync(directory).mode & 0o001) === 0) return false
    if (directory === '/') return true
  }
}
