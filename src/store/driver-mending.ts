/** A query of the driver, as far as its answer is concerned. */
type Query = Promise<unknown> & { resolve?: (result: unknown) => void }

type Call = (...args: unknown[]) => unknown

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

function mend<Made>(made: Made): Made {
  const query = made as Query
  const { resolve } = query
  // What is no query, such as a list of columns, is part of one.
  if (resolve !== undefined && 'handler' in query) query.resolve = (result) => resolve(closeHoles(result))
  return made
}

/** A pool of the driver, or a transaction of it, whose queries answer with their own rows. */
export function mendDriver<Sql extends object>(sql: Sql): Sql {
  const call = sql as unknown as Call & Record<'unsafe' | 'begin', Call>
  const own: Record<string | symbol, unknown> = {
    unsafe: (...args: unknown[]) => mend(call.unsafe(...args)),
    begin: (...args: unknown[]) => {
      const work = args.pop() as (tx: object) => unknown
      return call.begin(...args, (tx: object) => work(mendDriver(tx)))
    },
  }
  return new Proxy(sql, {
    apply: (_, __, args) => mend(call(...(args as unknown[]))),
    get: (_, name) => own[name] ?? Reflect.get(sql, name),
  })
}
