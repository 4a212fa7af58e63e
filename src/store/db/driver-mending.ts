import type { Endings } from './driver-sockets.ts'

/**
 * Is a query of the driver, as far as its way to the database and its answer are concerned; it has a `string` once
 * sent.
 */
type Query = Promise<unknown> & {
  string?: string
  handler?: (query: Query) => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

type Call = (...args: unknown[]) => unknown

type Work = (tx: object) => Promise<unknown>

/**
 * The driver goes on counting rows where a connection broke in the midst of a result: the first result of the next query
 * on it begins with as many holes, so that its first row would be undefined and something that is there not found.
 */
function closeHoles(result: unknown): unknown {
  if (!Array.isArray(result) || result.length === 0 || 0 in result) return result
  const first = Object.keys(result).find((key) => /^\d+$/.test(key))
  // In place: the driver has put the command and the count on it.
  result.splice(0, first === undefined ? result.length : Number(first))
  return result
}

/**
 * Where a connection ended between an error and the end of its answer, as one does that the server terminates, the driver
 * tells the error once more to the first query on the next one, before that is sent. Each error carries its own query.
 */
function isOfAnother(error: unknown, asked: string | undefined): boolean {
  const { severity, query } = (error ?? {}) as { severity?: unknown; query?: unknown }
  return severity !== undefined && query !== undefined && query !== asked
}

/**
 * Follows one transaction of the driver. When its connection ends, or it is rolled back, the driver forgets the queries
 * that wait in it, and would put further ones on a connection that is closed or already another's.
 */
class Life {
  readonly #endings: Endings
  readonly #open = new Set<Query>()
  #over: { error: unknown } | undefined

  constructor(endings: Endings) {
    this.#endings = endings
  }

  get isOver(): boolean {
    return this.#over !== undefined
  }

  /** The query is sent while the transaction lives, and answered in any case. */
  keep(query: Query, send: (query: Query) => unknown): void {
    const { resolve, reject } = query
    query.resolve = (result) => {
      this.#open.delete(query)
      resolve(result)
    }
    query.reject = (error) => {
      this.#open.delete(query)
      if (this.#endings.isTelling) this.#over ??= { error }
      reject(error)
    }
    query.handler = () =>
      this.#endings.pass(() => {
        if (this.#over) return query.reject(this.#over.error)
        this.#open.add(query)
        send(query)
      })
  }

  end(error: unknown): void {
    this.#over ??= { error }
    for (const query of this.#open) query.reject(error)
  }
}

function mend<Made>(made: Made, endings: Endings, life: Life | undefined): Made {
  const query = made as Query
  const { resolve, handler: send } = query
  // What is no query, such as a list of columns, is part of one.
  if (resolve === undefined || send === undefined) return made
  query.resolve = (result) => resolve(closeHoles(result))
  if (life) {
    life.keep(query, send)
    return made
  }
  const pass = () => endings.pass(() => send(query))
  const { reject } = query
  query.handler = pass
  query.reject = (error) => {
    if (query.string === undefined && isOfAnother(error, undefined)) pass()
    else reject(error)
  }
  return made
}

/**
 * A pool of the driver, or a transaction of it (`life`), each of whose queries settles, and answers with its own rows
 * (decision 0059).
 */
export function mendDriver<Sql extends object>(sql: Sql, endings: Endings, life?: Life): Sql {
  const call = sql as unknown as Call & Record<'unsafe' | 'begin', Call>
  const own: Record<string | symbol, unknown> = {
    unsafe: (...args: unknown[]) => mend(call.unsafe(...args), endings, life),
    begin: async (...args: [work: Work] | [mode: string, work: Work]) => {
      const [mode, work] = args.length === 1 ? ['', args[0]] : args
      const begun = new Life(endings)
      let hasBegun = false
      const run = async (tx: object) => {
        hasBegun = true
        try {
          return await work(mendDriver(tx, endings, begun))
        } finally {
          await endings.passed()
          // Further output of the driver is discarded. It has already rejected the transaction by itself.
          if (begun.isOver) await new Promise<never>(() => {})
        }
      }
      for (;;) {
        await endings.passed()
        try {
          return await call.begin(mode, run)
        } catch (error) {
          if (!hasBegun && isOfAnother(error, `begin ${mode}`)) continue
          begun.end(error)
          throw error
        }
      }
    },
  }
  return new Proxy(sql, {
    apply: (_, __, args) => mend(call(...(args as unknown[])), endings, life),
    get: (_, name) => own[name] ?? Reflect.get(sql, name),
  })
}
