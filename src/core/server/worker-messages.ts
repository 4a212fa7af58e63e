import type { Kept } from './acknowledged.ts'
import type { Worker } from 'node:cluster'
import type { Config } from '../config.ts'
import type { Connection } from '../store/db/database.ts'
import type { CliError } from './errors.ts'
import type { DiskRule } from './disk.ts'
import type { Health } from './health.ts'
import type { LogLevel } from './log.ts'
import type { Snapshot } from './metrics/aggregate.ts'
import type { ServerConfig } from './start.ts'

/** The settings of a worker, sent over a channel between the processes, where no other program reads the password. */
export type WorkerTask = {
  connection: Connection
  logLevel: LogLevel
  /** A listening socket of the first process; null for host and port of the settings. */
  fd: number | null
  disk: DiskRule | null
  kept: Kept | null
  config: ServerConfig & Pick<Config, 'dbConnections' | 'dbPipelining' | 'drainSeconds'>
}

/** What the first process asks a worker for. */
export type Answers = { health: Health; metrics: Snapshot[] }

export type FromWorker =
  | { type: 'ready' }
  | { type: 'running'; url: string | null }
  | { type: 'failed'; code: CliError['code']; message: string }
  | { type: 'answer'; id: number; value: Answers[keyof Answers] }

export type ToWorker =
  | { type: 'task'; task: WorkerTask }
  | { type: 'ask'; id: number; what: keyof Answers }
  | { type: 'drain' }
  | { type: 'reload' }
  | { type: 'stop' }

/** Sends a message to a worker. The callback swallows errors of sending: the worker may already be exiting. */
export const send = (worker: Worker, message: ToWorker) => void (worker.isConnected() && worker.send(message, () => {}))

/** Milliseconds after which a worker with a blocked event loop is left out. */
const answerMs = 2_500

let questions = 0

/** Resolves to the worker's answer, or to undefined if it does not answer in time or ends. */
export function ask<What extends keyof Answers>(worker: Worker, what: What): Promise<Answers[What] | undefined> {
  questions += 1
  const id = questions
  return new Promise((resolve) => {
    const settle = (value?: Answers[What]) => {
      clearTimeout(timer)
      worker.off('message', hear)
      worker.off('exit', leave)
      resolve(value)
    }
    const hear = (message: FromWorker) => {
      if (message.type === 'answer' && message.id === id) settle(message.value as Answers[What])
    }
    const leave = () => settle()
    const timer = setTimeout(settle, answerMs)
    worker.on('message', hear)
    worker.once('exit', leave)
    send(worker, { type: 'ask', id, what })
  })
}
