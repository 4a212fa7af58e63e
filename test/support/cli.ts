import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedDatabase } from '../../src/core/embedded/database.ts'
import type { Connection } from '../../src/core/store/db/database.ts'
import { placeDatabase } from './data-template.ts'
import { atEnd } from './database.ts'
import { runInside } from './inside.ts'
import { eventually } from './waiting.ts'

const root = join(import.meta.dirname, '../..')

export const main = join(root, 'src/main.ts')

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type Running = {
  child: ChildProcess
  pid: number
  /** Its output so far. */
  written: { stdout: string; stderr: string }
  ended: Promise<Ended>
}

/** `input` is all of standard input; null leaves it open. */
type Options = { env?: Record<string, string>; input?: string | Buffer | null; cwd?: string }

/** Returns the environment of this process without variables that configure Tillgate. */
function cleanEnvironment(env: Record<string, string>): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('TILLGATE_'))
  // Code is compiled once for all processes that these tests start, which saves a third of the time of each.
  const own = {
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
    // Files outside of databases must not be written to the home of the account that runs the tests.
    XDG_STATE_HOME: join(tmpdir(), `tillgate-test-state-${process.getuid?.()}`),
  }
  return { ...Object.fromEntries(rest), ...own, ...env }
}

// `atEnd` must first be called at import, before a test starts the first process.
atEnd(async () => {})

/** Starts a program and collects its output. It is killed if it still runs at the end of the file. */
export function start(
  program: string,
  args: readonly string[],
  { env = {}, input, cwd = root }: Options = {},
): Running {
  const child = spawn(program, args, { cwd, env: cleanEnvironment(env), stdio: ['pipe', 'pipe', 'pipe'] })
  const written = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (written.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (written.stderr += chunk))
  // A command that does not read its input closes the pipe.
  child.stdin.on('error', () => {})
  if (input !== null) child.stdin.end(input ?? '')
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, ...written }))
  })
  atEnd(async () => void child.kill('SIGKILL'))
  return { child, pid: child.pid as number, written, ended }
}

/** Commands that run until a signal, variables that Node reads at its start, and `caller`, which is found once. */
const processCommands = new Set(['serve', 'demo', 'listen'])
const startVariables = /^(NODE_|TMPDIR$|SUDO_USER$|TILLGATE_(MODULES|SERVICE)$)/

/** Commands on the database of a data directory are processes of their own, because they share its server. */
function needsProcess(args: readonly string[], { env = {}, input, cwd }: Options): boolean {
  const hasDatabase = env['DATABASE_URL'] !== undefined || args.includes('--database-url')
  const isProcess = processCommands.has(args[0] ?? '') || Object.keys(env).some((name) => startVariables.test(name))
  return isProcess || !hasDatabase || input === null || cwd !== undefined
}

/** Runs `tillgate` with these arguments to its end: in this process unless something of the process is tested. */
export function tillgate(args: readonly string[], options: Options = {}): Promise<Ended> {
  if (needsProcess(args, options)) return start(process.execPath, [main, ...args], options).ended
  return runInside(args, cleanEnvironment(options.env ?? {}), options.input ?? '')
}

/** Runs a command that must succeed, and parses its JSON output. */
export async function tillgateJson(args: readonly string[], options: Options = {}): Promise<any> {
  const { code, stdout, stderr } = await tillgate([...args, '--json'], options)
  if (code !== 0) throw new Error(`tillgate ${args.join(' ')} exited with ${code}: ${stderr || stdout}`)
  return JSON.parse(stdout)
}

type Words = readonly (string | number | readonly string[])[]
type Tag<T> = (texts: TemplateStringsArray, ...values: Words) => Promise<T>

/** Splits a command at its spaces. A value is one word, or part of one, and a list is several words. */
function wordsOf(texts: readonly string[], values: Words): string[] {
  const text = texts.reduce((sum, part, i) => `${sum}‹${i - 1}›${part}`)
  return text
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      const list = values[Number(/^‹(\d+)›$/.exec(word)?.[1])]
      return typeof list === 'object' ? list : word.replaceAll(/‹(\d+)›/g, (_, i) => String(values[Number(i)]))
    })
}

export type Commands = { run: Tag<Ended>; json: Tag<any>; refuses(message: RegExp): Tag<Ended> }

/**
 * Returns template tags for commands with these options: `run` resolves to the end of a command, `json` to its parsed
 * output, and `refuses` checks that it exits with 2 and this message.
 */
export function commandsOn(options: Options, flags: readonly string[] = []): Commands {
  const run: Tag<Ended> = (texts, ...values) => tillgate([...wordsOf(texts, values), ...flags], options)
  return {
    run,
    json: (texts, ...values) => tillgateJson([...wordsOf(texts, values), ...flags], options),
    refuses:
      (message) =>
      async (texts, ...values) => {
        const ended = await run(texts, ...values)
        assert.equal(ended.code, 2, ended.stdout)
        assert.match(ended.stderr, message)
        return ended
      },
  }
}

export type Served = Running & { url: string; line: any }

/** Starts `tillgate serve --json` on a free port and resolves when it reports that it listens. */
export async function serve(args: readonly string[], options: Options = {}): Promise<Served> {
  const running = start(process.execPath, [main, 'serve', '--port', '0', '--json', ...args], options)
  let over = false
  void running.ended.then(() => (over = true))
  await eventually(() => over || running.written.stdout.includes('\n'), 'serve listens')
  if (over) throw new Error(`serve ended: ${running.written.stderr}`)
  const line = JSON.parse(running.written.stdout)
  return { ...running, line, url: line.url }
}

export async function stop(running: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
  running.child.kill(signal)
  return running.ended
}

/** Returns the process id of the data directory's PostgreSQL, as long as its file exists. */
export async function findPostmaster(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => undefined)
  return file === undefined ? undefined : Number.parseInt(file, 10)
}

/** Returns whether the process runs; false for a zombie, too. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // The state follows the command, which is in brackets and may itself contain brackets.
    const stat = process.platform === 'linux' ? readFileSync(`/proc/${pid}/stat`, 'latin1') : ''
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
  } catch {
    return false
  }
}

/** Creates a folder, which is removed at the end of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-cli-'))
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return folder
}

/**
 * Creates a data directory, which is removed with its database at the end of the file. `filled` migrates the database.
 */
export async function createDataDir({ filled = false }: { filled?: boolean } = {}): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-cli-'))
  if (filled) {
    await rmdir(dataDir)
    await placeDatabase(dataDir)
  }
  atEnd(async () => {
    if ((await findPostmaster(dataDir)) !== undefined) await (await openEmbeddedDatabase(dataDir)).stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  return dataDir
}

/** Returns the connection as a `DATABASE_URL`. */
export function toUrl(connection: Connection): string {
  if ('url' in connection) return connection.url
  const { host, port, user, password, database } = connection
  return `postgres://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

/** Returns the path of a file of real orders beside the checkout; undefined without one. */
export function findRealData(name: string): string | undefined {
  const path = join(root, '../shared/data', name)
  return existsSync(path) ? path : undefined
}
