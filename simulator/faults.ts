import { Queue } from './queue.ts'
import { randomOf, type Random } from './random.ts'
import type { Occurrence, TillRecord } from './simulation.ts'
import { secondMs, minuteMs, hourMs, dayMs } from '../src/core/domain/days/time-units.ts'

/** Faults between tills and server; absent faults do not occur. */
export type Faults = {
  seed: string | number
  /**
   * A till is offline for hours, and then sends everything at once, in order. `perDay`: chance for each till on each
   * day.
   */
  lateTills?: { perDay: number; hours: readonly [min: number, max: number] }
  /** Share of the records that are sent again, up to ten minutes later. */
  duplicates?: number
  /** Share of the records that are held up, up to twenty minutes, so that later versions overtake them. */
  outOfOrder?: number
  /**
   * Share of the tills whose clock is wrong by a constant of up to this many minutes, in either direction: every time
   * that they write is shifted, but not the time of sending.
   */
  wrongClock?: { share: number; minutes: number }
}

/** Returns the device that sends a record; undefined for records of the whole location. */
export function deviceOf(record: TillRecord): string | undefined {
  if (record.type === 'order') return record.data.deviceId
  return record.type === 'report' ? (record.data.deviceIdentifier ?? undefined) : undefined
}

function versionOf(record: TillRecord): string {
  return record.type === 'order' || record.type === 'report'
    ? `${record.data.id} ${record.data.updatedAt}`
    : record.type
}

/** Returns when a device is online again; `at` itself if it is online. */
function backOnline(faults: Faults, device: string, at: number): number {
  const { seed, lateTills } = faults
  if (!lateTills) return at
  const today = Math.floor(at / dayMs)
  // A till is offline for at most `hours`, which may have begun on an earlier day.
  const daysBefore = Math.ceil((lateTills.hours[1] * hourMs) / dayMs)
  for (let day = today - daysBefore; day <= today; day += 1) {
    const random = randomOf(seed, 'offline', device, day)
    if (!random.chance(lateTills.perDay)) continue
    const from = day * dayMs + random.between(0, dayMs)
    const until = from + random.between(...lateTills.hours) * hourMs
    if (at >= from && at < until) return backOnline(faults, device, Math.ceil(until))
  }
  return at
}

function clockOffset(faults: Faults, device: string): number {
  const { seed, wrongClock } = faults
  if (!wrongClock) return 0
  const random = randomOf(seed, 'clock', device)
  if (!random.chance(wrongClock.share)) return 0
  return Math.round(random.between(-1, 1) * wrongClock.minutes * minuteMs)
}

/** Shifts every time the till wrote into the record. */
function misdate(record: TillRecord, offset: number): TillRecord {
  const shift = (text: string) => new Date(Date.parse(text) + offset).toISOString()
  if (record.type === 'order') {
    const { createdAt, updatedAt, openedAt, closedAt } = record.data
    const times = { createdAt: shift(createdAt), updatedAt: shift(updatedAt), openedAt: shift(openedAt) }
    return { type: 'order', data: { ...record.data, ...times, closedAt: closedAt === null ? null : shift(closedAt) } }
  }
  if (record.type !== 'report') return record
  const { createdAt, updatedAt, startedAt, finalizedAt, reportClerksShift } = record.data
  const times = { createdAt: shift(createdAt), updatedAt: shift(updatedAt) }
  const period = { startedAt: shift(startedAt), finalizedAt: shift(finalizedAt) }
  const shifts = reportClerksShift.map(({ name, id, clockInDate, clockOutDate }) => ({
    name,
    id,
    clockInDate: shift(clockInDate),
    clockOutDate: shift(clockOutDate),
  }))
  return { type: 'report', data: { ...record.data, ...times, ...period, reportClerksShift: shifts } }
}

/** Returns the times at which a record is sent: one, or two if it is sent again. */
function sendings(faults: Faults, random: Random, device: string | undefined, at: number): number[] {
  const heldUp = random.chance(faults.outOfOrder ?? 0) ? random.between(5 * secondMs, 20 * minuteMs) : 0
  const again = random.chance(faults.duplicates ?? 0) ? random.between(secondMs, 10 * minuteMs) : null
  const online = (moment: number) => (device === undefined ? moment : backOnline(faults, device, moment))
  const first = Math.round(online(at) + heldUp)
  return again === null ? [first] : [first, Math.round(online(first + again))]
}

/**
 * Yields the same records as sent by tills with these faults, sorted by `at`, the time of sending. The faults of
 * a record depend on the seed and its version only. No record is lost: late records come after the end of the stream.
 */
export function* withFaults(stream: Iterable<Occurrence>, faults: Faults): Generator<Occurrence> {
  const queue = new Queue<TillRecord>()
  function* release(upTo: number): Generator<Occurrence> {
    while (queue.size > 0 && queue.nextRank <= upTo) {
      const at = new Date(queue.nextRank)
      yield { at, record: queue.pop() as TillRecord }
    }
  }
  for (const { at, record } of stream) {
    yield* release(at.getTime())
    const device = deviceOf(record)
    const offset = device === undefined ? 0 : clockOffset(faults, device)
    const sent = offset === 0 ? record : misdate(record, offset)
    const random = randomOf(faults.seed, 'fault', versionOf(record))
    for (const moment of sendings(faults, random, device, at.getTime())) queue.push(moment, sent)
  }
  yield* release(Infinity)
}

/** Merges streams, such as those of many locations, by time. It reads one record of each stream ahead. */
export function* interleave<T extends Occurrence = Occurrence>(streams: Iterable<Iterable<T>>): Generator<T> {
  const queue = new Queue<{ next: T; rest: Iterator<T> }>()
  const advance = (rest: Iterator<T>) => {
    const { done, value } = rest.next()
    if (!done) queue.push(value.at.getTime(), { next: value, rest })
  }
  for (const stream of streams) advance(stream[Symbol.iterator]())
  for (let head = queue.pop(); head; head = queue.pop()) {
    yield head.next
    advance(head.rest)
  }
}
