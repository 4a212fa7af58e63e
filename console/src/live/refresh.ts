import type { Query, QueryClient } from '@tanstack/react-query'
import type { Event } from '@tillgate/client'
import type { Call } from '../api/request.ts'

/** Events that occur together, such as an order made and paid at once, cause one request. */
const togetherMs = 1000

const minuteMs = 60_000

type Rule = {
  /** Paths of the operations. */
  of: RegExp
  /** The types of events that may have changed an answer. */
  by: RegExp
  /** The least age of an answer before it is requested again. */
  restMs: number
}

/** The first matching rule of a path applies. Data that no event changes is only requested again by its age. */
const rules: readonly Rule[] = [
  { of: /^\/v1\/orders\//, by: /^order/, restMs: 30_000 },
  { of: /^\/v1\/reports\/checks\//, by: /^(order|report)/, restMs: minuteMs },
  { of: /^\/v1\/reports\//, by: /^(order|report)/, restMs: 20_000 },
  { of: /^\/v1\/(sales|deductions|e-reporting|exports)\//, by: /^order/, restMs: minuteMs },
  { of: /^\/v1\/(business-days|completeness|devices|ingest)\//, by: /^(order|report|day)/, restMs: minuteMs },
  { of: /^\/v1\/books\/(accounts|batches)/, by: /^(accounts|batch)/, restMs: 20_000 },
  {
    of: /^\/v1\/(books|closings|checkpoints)\//,
    by: /^(order|report|day|accounts|batch|closing|checkpoint)/,
    restMs: 20_000,
  },
  { of: /^\/v1\/catalog\//, by: /^catalog/, restMs: 20_000 },
  { of: /^\/v1\/locations\//, by: /^location/, restMs: 20_000 },
  { of: /^\/v1\/webhooks\//, by: /./, restMs: 5_000 },
]

/** The path of one order, whose answer does not change with events of other orders. */
const oneOrder = /^\/v1\/orders\/([\da-f-]{36})/

type Asked = { call: Call; restMs: number | undefined }

const askedBy = (query: Query) => ({ call: query.queryKey[2] as Call, ...query.meta }) as Asked

/** Returns the age from which an event requests an answer again; null if the event cannot change the answer. */
function restOf({ call, restMs }: Asked, { type, data }: Event): number | null {
  const rule = rules.find(({ of }) => of.test(call.path))
  if (rule === undefined || !rule.by.test(type)) return null
  const id = oneOrder.exec(call.path)?.[1]
  if (id !== undefined && type.startsWith('order') && 'id' in data && data.id !== id) return null
  return restMs ?? rule.restMs
}

/**
 * Requests the shown data that events may have changed: at most one request per event, and no answer again before it
 * has reached its minimum age. Pass each event to `onEvent`; `stop` cancels waiting requests.
 */
export function createRefresher(queries: QueryClient, location: string | null) {
  /** When a shown answer is to be requested again. */
  const due = new Map<Query, number>()
  /** When an answer was requested because of an event. */
  const asked = new WeakMap<Query, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const plan = () => {
    clearTimeout(timer)
    const next = Math.min(...due.values())
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(run, Math.max(0, next - Date.now()))
  }
  const run = () => {
    const now = Date.now()
    for (const [query, at] of due) {
      if (at > now) continue
      due.delete(query)
      if (!query.isActive()) continue
      asked.set(query, now)
      void queries.refetchQueries({ queryKey: query.queryKey, exact: true })
    }
    plan()
  }
  return {
    onEvent: (event: Event) => {
      const now = Date.now()
      for (const query of queries.getQueryCache().findAll({ queryKey: ['v1', location], type: 'active' })) {
        const restMs = restOf(askedBy(query), event)
        if (restMs === null) continue
        // No delay when the user returns to the page.
        query.invalidate()
        // The first order after a while is shown at once; sums of a day always wait until the shown ones are `restMs`
        // old.
        const last = restMs < minuteMs ? (asked.get(query) ?? 0) : query.state.dataUpdatedAt
        due.set(query, due.get(query) ?? Math.max(now + togetherMs, last + restMs))
      }
      plan()
    },
    stop: () => clearTimeout(timer),
  }
}
