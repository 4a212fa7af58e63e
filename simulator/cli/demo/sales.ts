import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { ingestLines } from '../../../src/core/ingest/receive/ingest.ts'
import { WriteQueue } from '../../../src/core/ingest/write/queue.ts'
import { simulate, type Occurrence } from '../../simulation.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { beginRush, closeRush, restaurantOf, rushesOf, type DemoState } from './state.ts'
import type { TillClient } from '../simulate/till-client.ts'

/** How long before the start of the demo its first guests arrived: some of them are about to pay. */
const warmUpMs = 15 * 60_000

const linesAtOnce = 200

export type CatchUp = {
  state: DemoState
  keep: () => Promise<void>
  perMinute: number
  now: Date
  signal: AbortSignal
  /** `doneMs` of `totalMs` simulated. */
  onProgress: (doneMs: number, totalMs: number, records: number) => void
}

async function* toLines(
  parts: Iterable<Occurrence>[],
  signal: AbortSignal,
  onTold: (at: Date, records: number) => void,
): AsyncGenerator<Buffer> {
  let lines: string[] = []
  let last = new Date(0)
  for (const part of parts) {
    for (const { at, record } of part) {
      last = at
      if (lines.push(`${JSON.stringify(record)}\n`) < linesAtOnce) continue
      onTold(at, lines.length)
      yield Buffer.from(lines.splice(0).join(''))
      await setImmediate()
      signal.throwIfAborted()
    }
  }
  onTold(last, lines.length)
  yield Buffer.from(lines.join(''))
}

/**
 * Yields the sales of the restaurant since the last run, or since it opened: final versions of older orders, and every
 * version of the last quarter of an hour, so that some orders are open. `to` is the moment from which it sells live.
 * The state is updated for these sales, and must be stored before any record is sent.
 */
export function sinceLastSeen(
  state: DemoState,
  perMinute: number,
  now: Date,
): { parts: Iterable<Occurrence>[]; to: Date } {
  const restaurant = restaurantOf(state)
  const from = new Date(state.storedUntil)
  closeRush(state)
  const past = rushesOf(state)
  const begin = beginRush(state, perMinute, warmUpMs, now)
  const to = new Date(Math.max(begin.getTime(), now.getTime()))
  state.sentUntil = to.toISOString()
  const parts = [simulate(restaurant, { from, to: begin, finalOnly: true, rushes: past })]
  // Plan the rush only up to `to`: extending it later does not change earlier visits, and planning a whole day is slow.
  const rushes = [...past, { from: begin, to, perMinute }]
  if (begin < to) parts.push(simulate(restaurant, { from: begin, to, setup: false, rushes }))
  return { parts, to }
}

/** Stores the sales since the last run by the code path of a push; resolves to the moment from which it continues. */
export async function catchUp(pool: Pool, { state, keep, perMinute, now, signal, onProgress }: CatchUp): Promise<Date> {
  const from = Date.parse(state.storedUntil)
  const { parts, to } = sinceLastSeen(state, perMinute, now)
  await keep()
  const totalMs = to.getTime() - from
  let records = 0
  const source = toLines(parts, signal, (at, written) => {
    records += written
    onProgress(at.getTime() - from, totalMs, records)
  })
  const pusher = { locationId: state.locationId, keyId: null }
  const { rejected, results } = await ingestLines(new WriteQueue(pool, () => new Date()), pusher, source)
  const fault = results.find(({ status }) => status === 'rejected')
  if (rejected > 0) throw new Error(`the simulated records are not valid: ${fault?.detail}`)
  state.storedUntil = to.toISOString()
  await keep()
  return to
}

/** Yields the sales of the restaurant from a moment on, endlessly. */
export const salesFrom = (state: DemoState, from: Date): Generator<Occurrence> =>
  simulate(restaurantOf(state), { from, setup: false, rushes: rushesOf(state) })

/** Waits in steps, to notice if the machine was asleep. */
async function waitUntil(at: Date, signal: AbortSignal): Promise<void> {
  for (let rest = at.getTime() - Date.now(); rest > 0; rest = at.getTime() - Date.now()) {
    await delay(Math.min(rest, 1_000), undefined, { signal })
  }
}

type Selling = Pick<CatchUp, 'state' | 'keep' | 'signal'> & { client: TillClient; from: Date }

/**
 * Pushes the records of the tills over HTTP, each at its time, until the signal; then rejects with its reason. Overdue
 * records are sent together.
 */
export async function sell({ state, keep, signal, client, from }: Selling): Promise<void> {
  const stream = salesFrom(state, from)
  let coming = stream.next()
  while (!coming.done) {
    await waitUntil(coming.value.at, signal)
    const lines: string[] = []
    let last = from
    const now = Date.now()
    while (!coming.done && coming.value.at.getTime() <= now && lines.length < linesAtOnce) {
      lines.push(JSON.stringify(coming.value.record))
      last = coming.value.at
      coming = stream.next()
    }
    if (lines.length === 0) continue
    state.sentUntil = last.toISOString()
    await keep()
    await client.push(state.tillKey, lines, signal)
    state.storedUntil = last.toISOString()
  }
}
