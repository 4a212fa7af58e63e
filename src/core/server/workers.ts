import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Counter, Registry } from 'prom-client'
import { CliError } from './errors.ts'
import { bestOf } from './health.ts'
import type { Log } from './log.ts'
import { Retired, takeSnapshot } from './metrics/aggregate.ts'
import { measureNode } from './metrics/node.ts'
import type { RunningServer } from './start.ts'
import { ask, send, type Answers, type FromWorker, type WorkerTask } from './worker-messages.ts'

/** Milliseconds before a dead worker is replaced: `first`, doubled up to `last` while workers die young. */
const backoffMs = { first: 100, last: 30_000 }

/** A worker that lived for this many milliseconds did not fail at its start. */
const matureMs = 10_000

/** A stopping worker takes at most 10 seconds for its requests; after this time it is considered stuck. */
const stuckMs = 20_000

/** Starts a worker and resolves when it serves; rejects with the error of its start. */
async function startWorker(task: WorkerTask): Promise<{ worker: Worker; url: string | null }> {
  const worker = cluster.fork()
  const url = await new Promise<string | null>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'ready') send(worker, { type: 'task', task })
      if (message.type === 'running') resolve(message.url)
      if (message.type === 'failed') reject(new CliError(message.code, message.message))
    })
    worker.once('exit', (code, signal) => {
      reject(new CliError('worker_ended', `a process ended before it was ready (${signal || code}): see its log`))
    })
  })
  return { worker, url }
}

/** Resolves port 0 before the first worker starts, because all workers must have the same port. */
async function choosePort({ config: { host, port }, fd }: WorkerTask): Promise<number> {
  if (port !== 0 || fd !== null) return port
  const server = createServer().listen(0, host)
  try {
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch {
    // The workers meet the same error and explain it.
    return port
  } finally {
    server.close()
  }
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  send(worker, { type: 'stop' })
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stuckMs)
  await ended
  clearTimeout(timer)
}

const running = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

/** Resolves to the answers of all workers; workers that do not answer are left out. */
async function askAll<What extends keyof Answers>(what: What): Promise<{ worker: Worker; value: Answers[What] }[]> {
  const replies = running().map(async (worker) => ({ worker, value: await ask(worker, what) }))
  return (await Promise.all(replies)).filter(
    (one): one is { worker: Worker; value: Answers[What] } => one.value !== undefined,
  )
}

/** Registers the metrics of the first process, which supervises the others. */
function watchOver(): { registry: Registry; restarted: () => void } {
  const registry = new Registry()
  measureNode(registry)
  const restarts = new Counter({
    name: 'tillgate_process_restarts_total',
    help: 'Processes of this serve that ended unexpectedly and were replaced.',
    registers: [registry],
  })
  return { registry, restarted: () => restarts.inc() }
}

/**
 * Runs the server in this many processes that share the port. A dead process is replaced: at once, or after a growing
 * wait if replacements die too. Rejects if one of the initial processes cannot start.
 */
export async function startWorkers(count: number, given: WorkerTask, log: Log): Promise<RunningServer> {
  const task = { ...given, config: { ...given.config, port: await choosePort(given) } }
  const timers = new Set<NodeJS.Timeout>()
  const { registry, restarted } = watchOver()
  const retired = new Retired()
  let stopping = false
  let young = 0

  const keep = (worker: Worker) => {
    const born = performance.now()
    worker.once('exit', (code, signal) => {
      void retired.retire(worker.id)
      if (stopping) return
      restarted()
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
  const drain = () => {
    // Workers that end from here on are not replaced.
    stopping = true
    for (const worker of running()) send(worker, { type: 'drain' })
  }
  const reload = () => {
    for (const worker of running()) send(worker, { type: 'reload' })
  }
  const metrics = async () => {
    const answers = await askAll('metrics')
    for (const { worker, value } of answers) retired.saw(worker.id, value.flat())
    return [await takeSnapshot(registry), retired.counters, ...answers.flatMap(({ value }) => value)]
  }
  const health = async () => bestOf((await askAll('health')).map(({ value }) => value))
  const close = async () => {
    stopping = true
    for (const timer of timers) clearTimeout(timer)
    await Promise.all(running().map(stopWorker))
  }

  try {
    const started = await Promise.all(Array.from({ length: count }, () => startWorker(task)))
    for (const { worker } of started) keep(worker)
    return { url: started[0]?.url ?? null, drain, reload, health, metrics, close }
  } catch (error) {
    await close()
    throw error
  }
}
