import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A separate process from `test/support/processes/`. It ends with this process. */
export type Process = {
  pid: number
  /** Throws with the output of the process if it has ended by itself. */
  assertRunning(): void
  /** The values that the process reported when it was ready. */
  ready: any
  /** Sends `kill -9`; resolves when the process has ended. */
  kill(): Promise<void>
  /** Asks the process to stop; resolves when it has ended. */
  stop(): Promise<void>
  /** Returns the end of its output, stdout and stderr. */
  output(): string
}

const readyWithinMs = 120_000

const outputKept = 20_000

/** Starts a process. Resolves when it is ready; rejects with its output if it ends before that. */
export async function startProcess(name: 'api' | 'delivery' | 'receiver', options: unknown): Promise<Process> {
  const script = new URL(`processes/${name}.ts`, import.meta.url)
  const child = fork(script, [JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + String(chunk)).slice(-outputKept)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const exited = once(child, 'exit')
  const limit = AbortSignal.timeout(readyWithinMs)
  const [ready] = await Promise.race([
    once(child, 'message', { signal: limit }),
    exited.then(([code, signal]) => {
      throw new Error(`${name} ended with ${code ?? signal} before it was ready:\n${output}`)
    }),
  ]).catch(async (error: unknown) => {
    await end(child, exited, 'SIGKILL')
    throw error
  })
  return {
    pid: child.pid as number,
    ready,
    assertRunning() {
      const { exitCode, signalCode } = child
      if (exitCode === null && signalCode === null) return
      throw new Error(`${name} ended by itself (${exitCode ?? signalCode}):\n${output}`)
    },
    kill: () => end(child, exited, 'SIGKILL'),
    stop: () => end(child, exited, 'SIGTERM'),
    output: () => output,
  }
}

async function end(child: ChildProcess, exited: Promise<unknown>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  await exited
}

/** Reads the options of this process, which `startProcess` started. */
export function processOptions<T>(): T {
  process.on('disconnect', () => process.exit())
  return JSON.parse(process.argv[2] ?? '') as T
}

/** Reports that this process is ready, and sets what `SIGTERM` does. */
export function processReady(ready: unknown, stop: () => Promise<unknown>): void {
  process.once('SIGTERM', () => void stop().then(() => process.exit()))
  process.send?.(ready)
}
