// BullMQ: one job per event in Redis, one worker. All but the last 1,000 completed jobs are dropped.
import { Queue, Worker } from 'bullmq'
import { answer } from '../../support/child.ts'
import { createPost, readEvents } from './contestant.js'

const options = { attempts: 10, backoff: { type: 'exponential', delay: 5000 }, removeOnComplete: { count: 1000 } }

let queue
let worker
let waiting = 0
let done = Promise.withResolvers()

answer({
  start: async ({ url, secret, concurrency, redisPort }) => {
    const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null }
    const post = createPost({ url, secret, connections: concurrency })
    queue = new Queue('webhooks', { connection })
    worker = new Worker('webhooks', (job) => post(job.data), { connection, concurrency })
    worker.on('completed', () => {
      waiting -= 1
      if (waiting === 0) done.resolve()
    })
    worker.on('failed', (_, error) => done.reject(error))
    await worker.waitUntilReady()
  },
  load: async ({ path }) => {
    await queue.pause()
    const jobs = readEvents(path).map((data) => ({ name: 'deliver', data, opts: options }))
    waiting = jobs.length
    done = Promise.withResolvers()
    for (let i = 0; i < jobs.length; i += 1000) await queue.addBulk(jobs.slice(i, i + 1000))
  },
  go: async () => {
    await queue.resume()
    await done.promise
  },
})
