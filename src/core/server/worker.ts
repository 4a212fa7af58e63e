import { loadTimelines } from './acknowledged.ts'
import cluster from 'node:cluster'
import { openPool } from '../store/db/database.ts'
import { endSoon } from './ending.ts'
import type { CliError } from './errors.ts'
import { createLog } from './log.ts'
import type { RunningServer } from './start.ts'
import type { FromWorker, ToWorker, WorkerTask } from './worker-messages.ts'

const report = (message: FromWorker) =>
  void (process.connected && process.send?.(message, undefined, undefined, () => {}))

/** Answers the first process, and drains at its request. */
function attend(server: RunningServer): void {
  process.on('message', (message: ToWorker) => {
    if (message.type === 'drain') server.drain()
    if (message.type === 'reload') server.reload()
    if (message.type !== 'ask') return
    const { id, what } = message
    // A failed answer is left out, like that of a worker that does not answer in time.
    void server[what]().then(
      (value) => report({ type: 'answer', id, value }),
      () => {},
    )
  })
}

/** Runs one worker: it serves until the first process stops it, or until it gets a SIGTERM itself. */
export async function runWorker(): Promise<void> {
  // Ctrl-C, and the end of a terminal, reach every process of the terminal: the first one stops the others in order.
  process.on('SIGINT', () => {})
  process.on('SIGHUP', () => {})
  process.on('SIGQUIT', () => {})
  process.on('SIGUSR1', () => {})
  process.on('SIGUSR2', () => {})
  // If the first process is killed, the channel closes, and Node's messages to it fail. The worker ends by itself.
  cluster.worker?.on('error', () => {})
  let server: RunningServer | undefined
  let drainMs = 0
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  process.on('message', (message: ToWorker) => message.type === 'stop' && stop())
  // A supervisor may send SIGTERM to every process of the service at once.
  process.on('SIGTERM', () => {
    server?.drain()
    setTimeout(stop, drainMs)
  })
  const given = new Promise<WorkerTask>((resolve) => {
    process.on('message', (message: ToWorker) => message.type === 'task' && resolve(message.task))
  })
  report({ type: 'ready' })
  const task = await Promise.race([given, stopped])
  if (task) {
    const { connection, config, logLevel, fd, disk, kept } = task
    drainMs = config.drainSeconds * 1_000
    // Imported here, so that the first process, which only supervises, does not load the server.
    const { startServer } = await import('./start.ts')
    if (kept) await loadTimelines(kept.timelines)
    const pool = openPool(connection, {
      connections: config.dbConnections,
      pipelining: config.dbPipelining,
      deadlineMs: config.dbTimeout * 1_000,
    })
    try {
      server = await startServer(pool, config, createLog(logLevel), {
        fd: fd ?? undefined,
        disk: disk ?? undefined,
        kept,
      })
      attend(server)
      report({ type: 'running', url: server.url })
      await stopped
      await server.close()
    } catch (error) {
      const { code, message } = error as CliError
      report({ type: 'failed', code, message })
    } finally {
      await pool.end({ timeout: 2 }).catch(() => {})
    }
  }
  if (process.connected) process.disconnect?.()
  endSoon()
}
