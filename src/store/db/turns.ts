/** Lets so many go at once; the others wait, in the order in which they asked. */
export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Resolves when it is the caller's turn, to what ends it. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return () => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}

/** Is a query of the driver: what sends it can be exchanged until it is sent. */
type Query = Promise<unknown> & { handler?: (query: Query) => unknown }

type Call = (...args: unknown[]) => unknown

/**
 * Makes each query of a pool, or of a transaction of it, wait for a turn, which ends with its answer. Transactions of a
 * pool take their turns where they are begun; `ofTransaction` makes those for their queries.
 */
export function sendInTurn<Sql extends object>(sql: Sql, turns: Turns, ofTransaction?: () => Turns): Sql {
  const inTurn = (made: unknown) => {
    const query = made as Query
    const { handler: send } = query
    if (send === undefined) return made
    query.handler = async (asked) => {
      const end = await turns.take()
      // Not `asked.then`, with which the driver sends the query.
      void Promise.prototype.then.call(asked, end, end)
      return send(asked)
    }
    return made
  }
  const call = sql as unknown as Call & Record<'unsafe' | 'begin', Call>
  const own: Record<string | symbol, unknown> = {
    unsafe: (...args: unknown[]) => inTurn(call.unsafe(...args)),
  }
  if (ofTransaction) {
    own['begin'] = (...args: unknown[]) => {
      const work = args.pop() as (tx: object) => unknown
      return call.begin(...args, (tx: object) => work(sendInTurn(tx, ofTransaction())))
    }
  }
  return new Proxy(sql, {
    apply: (_, __, args) => inTurn(call(...(args as unknown[]))),
    get: (_, name) => own[name] ?? Reflect.get(sql, name),
  })
}
