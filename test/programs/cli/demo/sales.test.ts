import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { salesFrom, sinceLastSeen } from '../../../../simulator/cli/demo/sales.ts'
import { newState, restaurantOf, type DemoState } from '../../../../simulator/cli/demo/state.ts'
import { reconcile } from '../../../../src/modules/figures/domain/reconciliation.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import type { Occurrence, TillRecord } from '../../../../simulator/simulation.ts'
import { hourMs } from '../../../../src/core/domain/days/time-units.ts'

/** The latest version of each record, as stored by the server. */
class Stored {
  readonly orders = new Map<string, Order>()
  readonly reports = new Map<string, Report>()

  take({ type, data }: TillRecord): void {
    if (type === 'report') this.reports.set(data.id, data)
    if (type !== 'order') return
    const known = this.orders.get(data.id)
    if (!known || known.updatedAt <= data.updatedAt) this.orders.set(data.id, data)
  }
}

type Run = {
  /** How long the demo was stopped before the run. */
  awayMs: number
  /** How long the run sells. */
  liveMs: number
  /** How it ends: normally, or killed before or after its last push was stored. */
  end: 'stopped' | 'killed' | 'killed before storing' | 'killed catching up'
  /** Number of pushes by which the stored state lags behind. */
  behind: number
  /** Number of records of a push. */
  together: number
}

/** Runs the demo once with the clock as a parameter: stores what is pushed, and updates the state for the next run. */
function live(stored: Stored, state: DemoState, now: Date, { liveMs, end, behind, together }: Run): Date {
  const { parts, to } = sinceLastSeen(state, 0.5, now)
  const isCut = end === 'killed catching up'
  const missed = parts.flatMap((part) => [...part])
  for (const { record } of isCut ? missed.slice(0, missed.length / (1 + together)) : missed) stored.take(record)
  if (isCut) return to
  state.storedUntil = to.toISOString()
  const until = new Date(to.getTime() + liveMs)
  const acknowledged: string[] = []
  const sales = salesFrom(state, to)
  for (;;) {
    const push = Array.from({ length: together }, () => sales.next().value as Occurrence)
    const last = (push.at(-1) as Occurrence).at
    const isLast = last >= until
    if (isLast && end === 'stopped') break
    state.sentUntil = last.toISOString()
    if (isLast && end === 'killed before storing') break
    for (const { record } of push) stored.take(record)
    acknowledged.push(state.sentUntil)
    state.storedUntil = acknowledged.at(-1 - behind) ?? state.storedUntil
    if (isLast) break
  }
  if (end === 'stopped') state.storedUntil = acknowledged.at(-1) ?? state.storedUntil
  return new Date(Math.max(until.getTime(), Date.parse(state.sentUntil)))
}

const runs = fc.array(
  fc.record<Run>({
    awayMs: fc.integer({ min: 0, max: 20 * hourMs }),
    liveMs: fc.integer({ min: 0, max: 8 * hourMs }),
    end: fc.constantFrom('stopped', 'killed', 'killed before storing', 'killed catching up'),
    behind: fc.integer({ min: 0, max: 3 }),
    together: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 5 },
)

const starts = fc.date({ min: new Date('2026-01-10'), max: new Date('2026-11-10'), noInvalidDate: true })

test('however often the demo is stopped or killed, every report of the restaurant reconciles once it has caught up', () => {
  fc.assert(
    fc.property(starts, runs, (start, list) => {
      const stored = new Stored()
      let now = start
      let state = newState(1, 'ordinary', now)
      for (const run of list) {
        now = live(stored, state, new Date(now.getTime() + run.awayMs), run)
        state = JSON.parse(JSON.stringify(state)) as DemoState
      }
      // The last run is two days later, when the days of all earlier runs are closed.
      const last: Run = { awayMs: 0, liveMs: 0, end: 'stopped', behind: 0, together: 1 }
      live(stored, state, new Date(now.getTime() + 48 * hourMs), last)
      const reports = [...stored.reports.values()]
      assert.ok(reports.length >= 2)
      for (const report of reports) {
        const { balanced, differences, orders } = reconcile(report, stored.orders.values())
        assert.deepEqual([balanced, differences, orders.extra], [true, [], []], `report ${report.reportNumber}`)
      }
      const closed = reports
        .map(({ finalizedAt }) => finalizedAt)
        .toSorted()
        .at(-1) as string
      const orders = [...stored.orders.values()].filter(({ createdAt }) => createdAt < closed)
      assert.deepEqual(
        orders.filter(({ closedAt }) => closedAt === null).map(({ id }) => id),
        [],
      )
      const orderNumbers = orders.map(({ orderNumber }) => orderNumber)
      assert.equal(new Set(orderNumbers).size, orderNumbers.length)
      const numbers = reports.map(({ reportNumber }) => reportNumber).toSorted((one, other) => one - other)
      assert.deepEqual(
        numbers,
        numbers.map((_, i) => (numbers[0] as number) + i),
      )
    }),
    { numRuns: 12 },
  )
})

test('a new restaurant begins with a whole business day, and is a different location each time', () => {
  const now = new Date('2026-03-14T02:30:00.000Z')
  const [one, other] = [newState(3, 'ordinary', now), newState(3, 'ordinary', now)]
  // 03:30 in Paris still belongs to the 13th; the third business day before it began at 05:00.
  assert.equal(one.from, '2026-03-10T04:00:00.000Z')
  assert.notEqual(one.locationId, other.locationId)
  assert.equal(restaurantOf(one).location.name, restaurantOf(other).location.name)
})

test('a clock that was set back makes the demo wait: nothing is sent twice or differently', () => {
  const now = new Date('2026-03-14T12:00:00.000Z')
  const state = newState(1, 'ordinary', now)
  sinceLastSeen(state, 1, now)
  state.storedUntil = state.sentUntil
  const { parts, to } = sinceLastSeen(state, 1, new Date('2026-03-14T09:00:00.000Z'))
  assert.equal(to.toISOString(), '2026-03-14T12:00:00.001Z')
  const sales = parts.flatMap((part) => [...part]).filter(({ record }) => record.type === 'order')
  assert.ok(sales.every(({ at }) => at.getTime() === now.getTime()))
  const [first] = salesFrom(state, to).take(1).toArray()
  assert.ok(first && first.at >= to)
})
