import { soldOn } from '../../support/books-site.ts'
import { commandsOn, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf, linesOf, locationOf } from '../../support/records.ts'

export const id = idOf('location', 7)
export const site = { id, key: '' }
export const at = ['--location', id]

/** A database that does not exist: commands on files do not need one. */
export const offline = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }

/** Creates a database, with commands on it; `push` imports records of its one location. */
export async function newShop(more: Record<string, string> = {}) {
  const database = await createDatabase()
  const env = { DATABASE_URL: toUrl(database.connection), ...more }
  const push = (...records: object[]) => {
    const input = linesOf([{ type: 'location', data: locationOf(id) }, ...records])
    return commandsOn({ env, input }).json`import -`
  }
  const { run, json, refuses } = commandsOn({ env })
  return {
    ...database,
    env,
    push,
    run,
    json,
    refuses,
    close: (until: string) => json`books close ${at} --until ${until}`,
  }
}

/** Lets the fiscal year end in March, so that an order of April closes it. */
export const endInMarch = ({ pool }: Pick<Awaited<ReturnType<typeof newShop>>, 'pool'>) =>
  pool`update locations set fiscal_year_starts = '04-01' where id = ${id}`

export const ofApril = (n: number) => {
  const [createdAt, closedAt] = ['2026-04-01T18:00:00.000Z', '2026-04-01T19:00:00.000Z']
  return soldOn(site, 9, n, { createdAt, updatedAt: closedAt, openedAt: createdAt, closedAt, reportId: null })
}

export const keyOf = ({ keys }: any): string => keys.find(({ location }: any) => location === id).key
