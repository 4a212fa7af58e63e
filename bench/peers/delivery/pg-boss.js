// pg-boss: one job per event in PostgreSQL; two workers, so that one posts while the other fetches, and no pause between full batches.
import { PgBoss } from 'pg-boss'
import { answer } from '../../support/child.ts'
import { createPost, readEvents } from './contestant.js'

const name = 'webhooks'

let boss
let post
let lanes = 0
let waiting = 0
let done = Promise.withResolvers()

/** Sends half of the `lanes` at once, because there are two workers; each job succeeds or fails on its own. */
async function deliver(jobs) {
  const results = []
  let next = 0
  const lane = async () => {
    while (next < jobs.length) {
      const job = jobs[next++]
      try {
        await post(job.data)
        results.push({ id: job.id, status: 'completed' })
      } catch (error) {
        results.push({ id: job.id, status: 'failed', output: { message: error.message } })
        done.reject(error)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes / 2 }, lane))
  waiting -= jobs.length
  if (waiting === 0) done.resolve()
  return results
}

answer({
  start: async ({ url, secret, concurrency, connection }) => {
    lanes = concurrency
    post = createPost({ url, secret, connections: concurrency })
    boss = new PgBoss({ ...connection, max: 4, supervise: false, schedule: false })
    boss.on('error', (error) => done.reject(error))
    await boss.start()
    await boss.createQueue(name)
  },
  load: async ({ path }) => {
    const jobs = readEvents(path).map((data) => ({ data, retryLimit: 10, retryBackoff: true }))
    waiting = jobs.length
    done = Promise.withResolvers()
    for (let i = 0; i < jobs.length; i += 1000) await boss.insert(name, jobs.slice(i, i + 1000))
  },
  go: async () => {
    const options = {
      batchSize: 200,
      burstWhenBatchFull: true,
      perJobResults: true,
      pollingIntervalSeconds: 0.5,
      localConcurrency: 2,
    }
    await boss.work(name, options, deliver)
    await done.promise
    await boss.offWork(name)
  },
})
