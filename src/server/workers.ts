import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { Config } from '../config.ts'
import { openPool, type Connection } from '../store/database.ts'
import { limitPool } from '../store/limited-pool.ts'
import { endSoon } from './ending.ts'
import { CliError } from './errors.ts'
import { createLog, type Log, type LogLevel } from './log.ts'
import type { RunningServer, ServerConfig } from './start.ts'

/** What a worker needs; it goes over the channel between the processes, where nobody else reads the password. */
export type WorkerTask = {
  connection: Connection
  logLevel: LogLevel
  config: ServerConfig & Pick<Config, 'dbConnections' | 'dbPipelining'>
}

type FromWorker =
  | { type: 'ready' }
  | { type: 'running'; url: string | null }
  | { type: 'failed'; code: string; message: string }

type ToWorker = { type: 'task'; task: WorkerTask } | { type: 'stop' }

/** First wait before a worker that died is replaced; it doubles up to the last while they die young. */
const backoffMs = { first: 100, last: 30_000 }

/** A worker that lived this long did not die of its start. */
const matureMs = 10_000

/** A worker that is told to stop takes 10 seconds for its requests; past this it does not hear. */
const stuckMs = 20_000

/** With a listener for what goes wrong: a worker that is about to end does not hear, and need not. */
const tell = (worker: Worker, message: ToWorker) => void (worker.isConnected() && worker.send(message, () => {}))

/** Starts a worker and resolves when it serves; rejects with what it could not do. */
async function startWorker(task: WorkerTask): Promise<{ worker: Worker; url: string | null }> {
  const worker = cluster.fork()
  const url = await new Promise<string | null>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'ready') tell(worker, { type: 'task', task })
      if (message.type === 'running') resolve(message.url)
      if (message.type === 'failed') reject(new CliError(message.code, message.message))
    })
    worker.once('exit', (code, signal) => {
      reject(new CliError('worker_ended', `a process ended before it served (${signal || code})`))
    })
  })
  return { worker, url }
}

/** A worker that comes later must get the port of the others, so port 0 is settled before the first. */
async function choosePort({ host, port }: WorkerTask['config']): Promise<number> {
  if (port !== 0) return port
  const server = createServer().listen(0, host)
  try {
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch {
    // The workers meet the same and say it in words.
    return port
  } finally {
    server.close()
  }
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  tell(worker, { type: 'stop' })
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stuckMs)
  await ended
  clearTimeout(timer)
}

/**
 * Runs the server in so many processes that share the port. A process that dies is replaced, at once at first and with
 * growing waits while replacements die too. Rejects when one of the first cannot start.
 */
export async function startWorkers(count: number, given: WorkerTask, log: Log): Promise<RunningServer> {
  const task = { ...given, config: { ...given.config, port: await choosePort(given.config) } }
  const timers = new Set<NodeJS.Timeout>()
  let stopping = false
  let young = 0

  const keep = (worker: Worker) => {
    const born = performance.now()
    worker.once('exit', (code, signal) => {
      if (stopping) return
      young = performance.now() - born < matureMs ? young + 1 : 0
      replace(`process ${worker.process.pid} ended (${signal || code})`)
    })
  }
  const replace = (reason: string) => {
    const waitMs = Math.min(backoffMs.first * 2 ** Math.max(young - 1, 0), backoffMs.last)
    log.error(`${reason}: another starts in ${waitMs} ms`)
    const timer = setTimeout(() => {
      timers.delete(timer)
      startWorker(task).then(
        ({ worker }) => keep(worker),
        (error: Error) => {
          young += 1
          if (!stopping) replace(error.message)
        },
      )
    }, waitMs)
    timers.add(timer)
  }
  const close = async () => {
    stopping = true
    for (const timer of timers) clearTimeout(timer)
    await Promise.all(Object.values(cluster.workers ?? {}).map(async (worker) => worker && stopWorker(worker)))
  }

  try {
    const started = await Promise.all(Array.from({ length: count }, () => startWorker(task)))
    for (const { worker } of started) keep(worker)
    return { url: started[0]?.url ?? null, close }
  } catch (error) {
    await close()
    throw error
  }
}

const report = (message: FromWorker) =>
  void (process.connected && process.send?.(message, undefined, undefined, () => {}))

/** The life of one worker: it serves until the first process, or a SIGTERM of its own, stops it. */
export async function runWorker(): Promise<void> {
  // Ctrl-C reaches every process of the terminal: the first one stops the others in order.
  process.on('SIGINT', () => {})
  // A first process that was killed closes the channel, and what Node sends it then fails. The worker ends by itself.
  process.on('error', () => {})
  const stopped = new Promise<void>((resolve) => {
    process.on('message', (message: ToWorker) => message.type === 'stop' && resolve())
    process.on('SIGTERM', resolve)
  })
  const given = new Promise<WorkerTask>((resolve) => {
    process.on('message', (message: ToWorker) => message.type === 'task' && resolve(message.task))
  })
  report({ type: 'ready' })
  const task = await Promise.race([given, stopped])
  if (task) {
    const { connection, config, logLevel } = task
    // Here and not above: the first process, which only keeps watch, does not load the server.
    const { startServer } = await import('./start.ts')
    const open = () => openPool(connection, { connections: config.dbConnections, pipelining: config.dbPipelining })
    const pool = limitPool(open, config.dbTimeout * 1_000)
    try {
      const server = await startServer(pool, config, createLog(logLevel))
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
