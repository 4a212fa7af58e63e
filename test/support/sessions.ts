import type { Session } from '../../src/core/store/db/driver/session.ts'
import type { Pool } from '../../src/core/store/db/database.ts'

/**
 * A function that gets the text of each statement of a transaction before it is sent. If it throws, the statement fails
 * with that error.
 */
export type Look = (text: string) => void

function watched(session: Session, look: Look): Session {
  return new Proxy(session, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'ask' && name !== 'answer') return typeof value === 'function' ? value.bind(target) : value
      return async (statement: { text: string }, parameters: unknown[]) => {
        look(statement.text.trim())
        return (value as (...args: unknown[]) => unknown).call(target, statement, parameters)
      }
    },
  })
}

/** Observes each transaction of the pool with its own `Look`, until the returned function is called. */
export function lookAt(pool: Pool, lookOf: () => Look): () => void {
  const { connections } = pool
  const use = connections.use.bind(connections)
  connections.use = (isAlone, work) => use(isAlone, (session) => work(isAlone ? watched(session, lookOf()) : session))
  return () => void (connections.use = use)
}
