import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnIdentity, type Account } from './accounts.ts'
import { EmbeddedDatabaseError } from './error.ts'

/** The grain of every wait in this folder, in milliseconds. */
const pollMs = 5

/**
 * Returns a text that names one process for ever, or undefined when none with this id runs (a zombie does not run). It
 * carries the start time because ids are reused: in a container that starts again, the new Tillgate often has the old
 * one's id.
 */
export function findProcessMark(pid: number): string | undefined {
  if (!exists(pid)) return undefined
  const found = process.platform === 'linux' ? readProc(pid) : askPs(pid)
  if (found === undefined) return exists(pid) ? `${pid} unknown` : undefined
  return found.zombie ? undefined : `${pid} ${found.start}`
}

/** Tells whether the process of that mark still runs. */
export function isRunning(mark: string): boolean {
  return findProcessMark(Number.parseInt(mark, 10)) === mark
}

function exists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readProc(pid: number): { start: string; zombie: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    // The command in brackets may hold blanks and brackets itself; after it come the fields 3 (state) to 22 (start time).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { start: `${boot}:${fields[19]}`, zombie: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return undefined
  }
}

function askPs(pid: number): { start: string; zombie: boolean } | undefined {
  try {
    const options = { encoding: 'utf8', stdio: 'pipe', env: { LC_ALL: 'C', TZ: 'UTC' } } as const
    const [state = '', ...start] = execFileSync('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/)
    return { start: start.join('_'), zombie: state.startsWith('Z') }
  } catch {
    return undefined
  }
}

/** Waits a moment, one poll interval if not said otherwise; rejects with the signal's reason when it is aborted. */
export async function pause(signal: AbortSignal | undefined, waitMs: number = pollMs): Promise<void> {
  signal?.throwIfAborted()
  await delay(waitMs)
  signal?.throwIfAborted()
}

/**
 * Runs a program to its end as the given account. `input` goes to its standard input; `output` is what it wrote to
 * standard output and standard error. It gets a session of its own: Ctrl-C in the terminal reaches Tillgate only, which
 * then aborts `signal` if it wants the program to end.
 */
export async function run(
  program: string,
  args: string[],
  options: { account: Account; env: NodeJS.ProcessEnv; input?: string; signal?: AbortSignal | undefined },
): Promise<{ ok: boolean; output: string }> {
  options.signal?.throwIfAborted()
  const child = spawn(program, args, {
    ...spawnIdentity(options.account),
    cwd: '/',
    env: options.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A program that ends early closes the pipe; its exit code tells the story.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const onAbort = () => child.kill('SIGTERM')
  options.signal?.addEventListener('abort', onAbort)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    options.signal?.throwIfAborted()
    return { ok: code === 0, output: Buffer.concat(chunks).toString('utf8') }
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
  }
}

/** Makes the line for the user when a program could not even begin. */
export function describeSpawnFailure(error: unknown, program: string, account: Account): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === undefined || error instanceof EmbeddedDatabaseError) return error
  const why =
    account.switching && (code === 'EPERM' || code === 'EINVAL')
      ? `root may not become ${account.name} here; run Tillgate as an ordinary user, or set DATABASE_URL`
      : `${code}; install the npm packages again, or set DATABASE_URL`
  return new EmbeddedDatabaseError(`${program} could not be started: ${why}`, { cause: error })
}
