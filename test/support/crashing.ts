import type { Pool } from '../../src/store/db/database.ts'

/** A pool whose transactions are rolled back instead of their n-th statement, as the database does when the process ends. */
export function crashing(pool: Pool, at: number): Pool {
  let left = at
  const count = () => {
    left -= 1
    if (left === 0) throw new Error('the process ends here')
  }
  const counted = <T extends object>(sql: T): T =>
    new Proxy(sql, {
      apply(target, self, args) {
        // A template is a statement; anything else only quotes a name or a list.
        if (Array.isArray((args[0] as { raw?: unknown } | undefined)?.raw)) count()
        return Reflect.apply(target as never, self, args)
      },
      get(target, name) {
        const value = Reflect.get(target, name) as unknown
        if (name !== 'unsafe') return value
        return (...args: unknown[]) => {
          // The commit belongs to the transaction and not to its work.
          if (args[0] !== 'commit') count()
          return (value as (...args: unknown[]) => unknown).apply(target, args)
        }
      },
    })
  return new Proxy(pool, {
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name) as unknown
      return (mode: string, work: (tx: object) => unknown) => target.begin(mode, (tx) => work(counted(tx)) as never)
    },
  })
}

/** Takes the error of such a pool, and throws any other. */
export function isCrash(error: unknown): void {
  if (!(error instanceof Error && error.message === 'the process ends here')) throw error
}
