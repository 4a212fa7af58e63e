import { stepProjection } from '../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../src/modules/figures/projections/sales.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { insertWarnings } from '../../../src/modules/warnings/store/ingest-warnings.ts'
import type { Site, TestApp } from '../../support/app.ts'
import { idOf, order, orderOf, reportOf } from '../../support/records.ts'

export const leaver = idOf('operator', 71)
const stayer = idOf('operator', 72)

export const report = (site: Site, n: number) => ({
  type: 'report',
  data: reportOf(site.id, n, {
    clerkName: 'Zéphyrine',
    clerkId: null,
    reportClerksShift: [
      { ...(reportOf(site.id, n).reportClerksShift[0] as object), id: leaver, name: 'Zéphyrine' },
      { ...(reportOf(site.id, n).reportClerksShift[0] as object), id: stayer, name: 'Octave' },
    ] as never,
  }),
})

export const sold = (site: Site, n: number, changes = {}) =>
  order(
    orderOf(site.id, n, {
      operatorId: leaver,
      operatorName: 'Zéphyrine',
      tips: [{ amount: 2, operatorId: leaver }],
      customerId: 'K-4711',
      ...changes,
    }),
  )

export const theirs = { operatorId: stayer, operatorName: 'Octave', tips: null, customerId: '' }

/**
 * Stores two orders of the employee who leaves, the first in two versions, one order of the employee who stays, and a
 * report of both; then the copies of these records.
 */
export async function sell(app: TestApp): Promise<Site> {
  const { pool } = app
  const site = await app.addLocation()
  const later = { updatedAt: '2026-04-01T10:00:00.000Z', guests: 3 }
  await app.store([sold(site, 1), sold(site, 2), sold(site, 3, theirs), report(site, 1)], site.key)
  await app.store([sold(site, 1, later)], site.key)
  await app.push([{ ...sold(site, 5), extra: 1 }, sold(site, 6, { guests: 'Zéphyrine' })], { key: site.key })
  await app.push(`{"type":"order","data":{"operatorName":"Zéphyrine","operatorId":"${leaver}", broken\n`, {
    key: site.key,
  })
  const delivery = (body: string) => JSON.stringify({ id: 'a', response: { headers: { 'x-echo': 'b' }, body } })
  for (const [i, [seq, body]] of (
    [
      [1, 'thanks, Zéphyrine'],
      [3, 'Octave'],
    ] as const
  ).entries()) {
    await pool`
      insert into webhook_attempts (location_id, webhook_id, at, id, seq, type, ok, document)
      values (${site.id}, ${idOf('menu', 1)}, ${new Date()}, ${idOf('menu', i + 2)}, ${seq}, 'order.paid', true, ${delivery(body)})`
  }
  const warned = { receivedAt: new Date(), keyId: null, line: 1, type: 'order', pointer: '/data/tips' } as const
  await insertWarnings(
    pool,
    site.id,
    [leaver, stayer].map((id, n) => ({
      ...warned,
      id: idOf('menu', n + 8),
      resourceId: idOf('order', 1),
      code: 'unknown_device',
      detail: `there is no operator ${id} "${id === leaver ? 'Zéphyrine' : 'Octave'}"`,
    })),
  )
  await stepProjection(pool, salesProjection, site.id)
  return site
}

/** Finds every row of every table of this location that contains a text. */
export async function grep(sql: Pool, site: Site, text: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind = 'r' and c.relname <> 'schema_migrations'`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ n: number }[]>(
      `select count(*) as n from ${name} t where strpos(lower(t::text), lower($1)) > 0 and strpos(t::text, $2) > 0`,
      [text, site.id],
    )
    if (rows[0]?.n) found.push(`${name} ${rows[0].n}`)
  }
  return found.toSorted()
}
