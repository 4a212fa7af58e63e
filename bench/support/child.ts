import { fork } from 'node:child_process'
import { once } from 'node:events'
import { within } from './figures.ts'

type Question = { id: number; type: string; payload: unknown }

type Answer = { id: number; value?: unknown; error?: string }

export type Child = {
  pid: number
  /** Resolves to the result of the child's handler with that name; rejects with its error, and after a minute. */
  ask<T = unknown>(type: string, payload?: unknown, timeoutMs?: number): Promise<T>
  stop(): Promise<void>
}

/** Runs a module in a separate process, where `answer` serves it. It ends with this process. */
export function startChild(path: string, execArgv: string[] = []): Child {
  const child = fork(path, [], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>()
  let last = 0
  child.on('message', ({ id, value, error }: Answer) => {
    const question = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) question?.resolve(value)
    else question?.reject(new Error(error))
  })
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${path} ended with ${code}`))
  })
  return {
    pid: child.pid ?? 0,
    ask(type, payload, timeoutMs = 60_000) {
      const id = ++last
      const { promise, resolve, reject } = Promise.withResolvers<any>()
      waiting.set(id, { resolve, reject })
      child.send({ id, type, payload } satisfies Question)
      return within(timeoutMs, `${type} of ${path}`, promise)
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Serves `startChild` in the child process. */
export function answer(handlers: Record<string, (payload: any) => unknown>): void {
  const reply = (message: Answer) => process.send?.(message)
  process.on('message', (question: Question) => {
    const { id, type, payload } = question
    const work = async () => handlers[type]?.(payload)
    work().then(
      (value) => reply({ id, value }),
      (error: unknown) => reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
}
