import { openPool } from '../../src/core/store/db/database.ts'
import { peerPath } from './peers.ts'
import type { EmbeddedServer } from './embedded.ts'

export type Sold = { key: string; sales: number }

export type Normalised = {
  /** Sales by product for a range of days, in hundredths, added up from the rows of the items. */
  fromRows(since: string, until: string): Promise<Sold[]>
  /** Like `fromRows`, from a materialized view by day and product. */
  fromView(since: string, until: string): Promise<Sold[]>
  refresh(): Promise<unknown>
  end(): Promise<void>
}

type Statement = { name: string; text: string; values: unknown[] }

type Client = { query(text: string | Statement, values?: unknown[]): Promise<unknown> }
type Load = (
  client: Client,
  of: { key: string; locationId: string; lines: Iterable<string>; products: [] },
) => Promise<void>

const counted =
  'not o.is_canceled and not o.is_training and o.closed_at is not null and not i.is_canceled and not i.is_loss'
const day = `((o.closed_at at time zone 'Europe/Paris') - interval '5 hours')::date`

/** Creates the tables of `afternoon-pg` on the same server, with the same orders, and a materialized view on them. */
export async function openNormalised(
  embedded: EmbeddedServer,
  locationId: string,
  lines: Iterable<string>,
): Promise<Normalised> {
  const connection = await embedded.createDatabase('normalised')
  const sql = openPool(connection, { connections: 1, pipelining: true })
  const { load } = (await import(peerPath('afternoon-pg', 'load.js'))) as { load: Load }
  // Cast to text first: the driver would encode the text as JSON once more.
  const query = (asked: string | Statement, given: unknown[] = []) => {
    const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : asked
    return sql.unsafe(text.replace(', $1)', ', $1::text::json)'), values as never[])
  }
  await load({ query }, { key: 'bench', locationId, lines, products: [] })
  await sql.unsafe(`
    create materialized view sold as
    select o.location_id, ${day} as day, i.item_catalog_id as key, count(distinct o.id) as orders, sum(i.quantity) as items,
      sum(i.total) as sales, sum(i.tax_amount) as tax
    from orders o join order_items i on i.order_id = o.id where ${counted} group by 1, 2, 3`)
  await sql.unsafe('create index on sold (location_id, day)')
  await sql.unsafe('vacuum analyze sold')
  const ask = async (text: string, since: string, until: string): Promise<Sold[]> => {
    const rows = await sql.unsafe<{ key: string; sales: string }[]>(text, [locationId, since, until], { prepare: true })
    return rows.map(({ key, sales }) => ({ key, sales: Math.round(Number(sales) * 100) }))
  }
  // Selects by creation date, which has an index; each of these orders was closed on the business day of its creation.
  const rows = `
    select i.item_catalog_id as key, count(distinct o.id), sum(i.quantity), sum(i.total) as sales, sum(i.tax_amount)
    from orders o join order_items i on i.order_id = o.id
    where o.location_id = $1 and o.created_at >= $2::date and o.created_at < $3::date + 1 and ${counted} group by 1`
  const view = `
    select key, sum(orders), sum(items), sum(sales) as sales, sum(tax) from sold
    where location_id = $1 and day >= $2::date and day <= $3::date group by 1`
  return {
    fromRows: (since, until) => ask(rows, since, until),
    fromView: (since, until) => ask(view, since, until),
    refresh: async () => sql`refresh materialized view sold`,
    end: async () => sql.end(),
  }
}
