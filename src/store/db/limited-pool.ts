import type { Pool } from './database.ts'
import { DeadlinePassed, Patience, setLimit, type Asked } from './patience.ts'

/** Is a query of the driver, as far as it must be known to hear when it is sent. */
type Query = Promise<unknown> & { handler?: (query: Query) => unknown; reject(error: Error): void }

/** In seconds: a pool that was replaced gives what it still carries so long to end. */
const graceS = 5

/**
 * Makes a pool each of whose queries is answered within `deadlineMs` or rejected with `DeadlinePassed`, and each of
 * whose transactions is when `transact` or `snapshot` runs it. The driver itself waits without end: for a connection
 * while the database cannot be reached, and for an answer on one that has gone silent. So when a deadline passes the
 * pool behind this one is replaced: what begins later gets new connections, and what hangs on the old ones fails. A
 * transaction that is late does not commit, unless its COMMIT was under way. `first` is used to begin with, where it is
 * given.
 */
export function limitPool(open: () => Pool, deadlineMs: number, first: Pool = open()): Pool {
  let current = first
  /** Keeps the connection for LISTEN, which belongs to no query and outlives replacements. */
  let listening: Pool | undefined
  let replacedAt = -Infinity
  let hasEnded = false

  const patience = new Patience<Asked>(deadlineMs, ({ fail }) => {
    fail(new DeadlinePassed(deadlineMs))
    if (hasEnded || performance.now() - replacedAt < deadlineMs) return
    replacedAt = performance.now()
    const former = current
    current = open()
    void former.end({ timeout: graceS }).catch(() => {})
  })

  /** The clock starts when the query is sent, not when it is written: a fragment of another one is never sent. */
  const limit = <Made>(made: Made): Made => {
    const query = made as Query
    const { handler: send } = query
    if (send === undefined) return made
    query.handler = (sent) => {
      const asked = { fail: (error: Error) => sent.reject(error) }
      const waiting = patience.begin(asked)
      const end = () => patience.end(waiting)
      // Not `sent.then`, with which the driver sends the query.
      void Promise.prototype.then.call(sent, end, end)
      return send(sent)
    }
    return made
  }

  const end = async (options?: { timeout?: number }) => {
    hasEnded = true
    await Promise.all([current.end(options), listening?.end(options)])
    patience.clear()
  }

  const own: Record<string | symbol, unknown> = {
    end,
    unsafe: (...args: Parameters<Pool['unsafe']>) => limit(current.unsafe(...args)),
    listen: (...args: Parameters<Pool['listen']>) => (listening ??= open()).listen(...args),
  }
  const limited = new Proxy(first, {
    apply: (_, __, args) => limit((current as unknown as (...all: unknown[]) => unknown)(...args)),
    get: (_, name) => own[name] ?? Reflect.get(current, name),
  })
  setLimit(limited, patience)
  return limited
}
