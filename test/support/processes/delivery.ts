import { DeliveryEngine } from '../../../src/core/delivery/engine.ts'
import { createSender } from '../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../src/core/domain/addresses/addresses.ts'
import { retrySchedule, standardWaitsMs } from '../../../src/core/domain/journal/retry-schedule.ts'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'
import { Hints } from '../../../src/core/store/db/hints.ts'
import { processOptions, processReady } from '../processes.ts'

export type DeliveryProcessOptions = {
  connection: Connection
  leaseMs: number
  sweepMs: number
  /** Milliseconds by which its clock is ahead; undefined to use the database's clock. */
  aheadMs?: number
  /** Factor for the waits of the schedule, which are at most `longestWaitMs`. */
  scheduleScale?: number
  longestWaitMs?: number
  /** Timeout of a request. By default ten minutes: a hanging request must not end before the test. */
  deadlineMs?: number
}

const options = processOptions<DeliveryProcessOptions>()
const { connection, leaseMs, sweepMs, aheadMs, scheduleScale = 1, longestWaitMs = Infinity } = options
const { deadlineMs = 600_000 } = options

const pool = openPool(connection, { connections: 8, pipelining: true, deadlineMs: 10_000 })
const hints = new Hints(pool)
await hints.listen()
const sender = createSender({ allowHttp: true, allowAddresses: ['127.0.0.0/8'].map(toAddressRange), deadlineMs })
const engine = new DeliveryEngine({
  pool,
  hints,
  sender,
  ...(aheadMs === undefined ? {} : { clock: () => new Date(Date.now() + aheadMs) }),
  leaseMs,
  sweepMs,
  schedule: retrySchedule(standardWaitsMs.map((waitMs) => Math.min(waitMs * scheduleScale, longestWaitMs))),
})
engine.events.on('failed', ({ work, error }) => console.error(work, error))
engine.start()

processReady({}, async () => {
  await engine.stop()
  await hints.close()
  await sender.close()
  await pool.end({ timeout: 1 })
})
