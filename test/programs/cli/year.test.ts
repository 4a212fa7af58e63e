import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { generateKey } from '../../../src/modules/backup/format/age-seal.ts'
import { daysProjection } from '../../../src/modules/figures/projections/days.ts'
import { catchUpProjection, stepProjection } from '../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../src/modules/figures/projections/sales.ts'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import {
  bringBack,
  chooseToArchive,
  archiveNext,
  type ProvenArchive,
} from '../../../src/modules/operations/store/asides.ts'
import { listAsides } from '../../../src/core/store/journal/asides.ts'
import { newDirectory } from '../backup/support.ts'
import { startApp, type Site } from '../../support/app.ts'
import { date, dish, card, soldOn, zOn } from '../../support/books-site.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { crashing } from '../../support/crashing.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf, order, report } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()
const { pool } = app
const env = { DATABASE_URL: toUrl(app.database.connection) }
const folder = newDirectory()
mkdirSync(folder, { recursive: true })

const at = (day: string, time: string) => `${day}T${time}:00.000Z`

/** Returns three versions of an order: open, with another number of guests, closed. */
function versions(site: Site, n: number, closed: Partial<Order> = {}): Order[] {
  const last = soldOn(site, 2, n, closed)
  const open = { ...last, closedAt: null, reportId: null, payments: [], updatedAt: at(date(2), '18:00') } as Order
  return [open, { ...open, guests: 9, updatedAt: at(date(2), '18:30') }, last]
}

const april = { createdAt: at('2026-04-01', '18:00'), openedAt: at('2026-04-01', '18:00'), reportId: null }

type Filled = { site: Site; ids: string[]; open: string; later: string; across: string }

const numbers = { ended: 4 }

/** Creates a closed fiscal year that ends in March, with four orders that may be archived, and three that may not. */
async function fill(): Promise<Filled> {
  const site = await app.addLocation()
  await pool`update locations set fiscal_year_starts = '04-01' where id = ${site.id}`
  const ended = Array.from({ length: numbers.ended }, (_, i) => versions(site, i + 1))
  const [stillOpen, later, across] = [versions(site, 10), versions(site, 11), versions(site, 12)]
  for (const v of [0, 1, 2]) {
    const ofAll = [...ended, later].map((of) => of[v] as Order)
    await app.store([...ofAll.map(order), ...(v < 2 ? [stillOpen, across].map((of) => order(of[v])) : [])], site.key)
  }
  const z = zOn(
    site,
    2,
    [...ended, later].map((of) => of[2] as Order),
  )
  await app.store([report(z)], site.key)
  for (const projection of [daysProjection, salesProjection])
    while ((await stepProjection(pool, projection, site.id)) === 'behind');
  await tillgateJson(['books', 'close', '--location', site.id, '--until', date(2)], { env })
  await app.store(
    [
      order({
        ...soldOn(site, 9, 1),
        ...april,
        updatedAt: at('2026-04-01', '19:00'),
        closedAt: at('2026-04-01', '19:00'),
      }),
    ],
    site.key,
  )
  await tillgateJson(['books', 'close', '--location', site.id, '--until', '2026-04-01'], { env })
  // After the year was closed, one order is changed, and one that was open across its end is closed.
  await app.store(
    [
      order({ ...(later[2] as Order), guests: 3, updatedAt: at('2026-04-02', '10:00') }),
      order({ ...(across[2] as Order), updatedAt: at('2026-04-02', '11:00'), closedAt: at('2026-04-02', '11:00') }),
    ],
    site.key,
  )
  for (const projection of [daysProjection, salesProjection]) await catchUpProjection(pool, projection, site.id)
  const idsOf = (of: Order[]) => (of[0] as Order).id
  return { site, ids: ended.map(idsOf), open: idsOf(stillOpen), later: idsOf(later), across: idsOf(across) }
}

const reads = [
  '/v1/orders/?size=100',
  '/v1/orders/?state=open&size=100',
  '/v1/reports/?size=100',
  '/v1/sales/?by=category&since=2026-03-01&until=2026-04-30',
  '/v1/business-days/?since=2026-03-01&until=2026-03-05',
  '/v1/closings/?period=year',
  '/v1/books/entries/?since=2026-03-01&until=2026-03-05',
]

/** Reads everything that partners can read, by path, without the time of the response. */
async function answers({ site, ids, open, later, across }: Filled): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const path of [...reads, ...[...ids, open, later, across].map((id) => `/v1/orders/${id}`)]) {
    const answer = await app.get(path, { key: site.key })
    // Archiving is recorded in the journal, so its head moves.
    found[path] = `${answer.status} ${answer.text.replaceAll(/"sequence":\d+/g, '')}`
  }
  return found
}

/** Throws for the first path with another response, since all differences would be pages long. */
async function assertAnswers(filled: Filled, before: Record<string, string>, when: string): Promise<void> {
  const now = await answers(filled)
  for (const [path, text] of Object.entries(before)) {
    const other = now[path] ?? ''
    let at = 0
    while (at < text.length && text[at] === other[at]) at++
    assert.ok(
      text === now[path],
      `${when}: ${path} has ${now[path]?.slice(at - 60, at + 200)}, and had ${text.slice(at - 60, at + 200)}`,
    )
  }
}

const journalOf = (id: string) => pool<{ seq: number; kind: string; document: string | null; hash: string }[]>`
  select seq, kind, document, hash from journal where location_id = ${id} order by seq`

const asideOf = async (id: string) => (await journalOf(id)).filter(({ document }) => document === null).length

async function foldAnew(id: string): Promise<void> {
  await pool`delete from projections where location_id = ${id}`
  for (const table of ['sales_cells', 'report_checks', 'report_waits', 'device_days', 'book_sums', 'book_days'])
    await pool.unsafe(`delete from ${table} where location_id = $1`, [id])
  for (const projection of [daysProjection, salesProjection])
    while ((await stepProjection(pool, projection, id)) === 'behind');
}

const archiveYear = (id: string, archive: string, ...more: string[]) =>
  tillgate(['year', 'put-aside', '--location', id, '--year', '2025', '--archive', archive, ...more], { env })

test('old versions of a closed year are moved to an archive and back, and every read, figure and closing is unchanged', async () => {
  const filled = await fill()
  const { site, ids, later } = filled
  const { id, key } = site
  const archive = join(folder, 'whole.zip')
  const [before, journal] = [await answers(filled), await journalOf(id)]
  for (const [path, text] of Object.entries(before)) assert.match(text, /^200 /, `${path}: ${text}`)

  const dry = await archiveYear(id, archive, '--dry-run', '--json')
  assert.equal(dry.code, 0, dry.stderr)
  const { documents, orders, bytes } = JSON.parse(dry.stdout)
  // Four orders of three versions; nothing of orders that are open, or were changed after the year.
  assert.deepEqual({ documents, orders }, { documents: 12, orders: 4 })
  const own = journal.filter(({ kind, document }) => kind === 'order' && ids.some((one) => document?.includes(one)))
  assert.equal(
    bytes,
    own.reduce((sum, { document }) => sum + Buffer.byteLength(document ?? ''), 0),
  )
  assert.equal(await asideOf(id), 0)

  const put = await archiveYear(id, archive, '--compact')
  assert.equal(put.code, 0, put.stderr)
  assert.match(put.stdout, /archived .* 12 versions of 4 orders/)
  assert.equal(await asideOf(id), 12)
  await assertAnswers(filled, before, 'put aside')
  const verdict = await verifyLocation(pool, id)
  assert.ok(verdict.verified, JSON.stringify(verdict))
  // The latest versions are in their own rows, and are verified there.
  assert.deepEqual(verdict.aside, { documents: 8, archives: ['whole.zip'] })
  const result = await tillgate(['verify', '--location', id], { env })
  assert.match(result.stdout, new RegExp(`archived {2}${id} {2}8 documents in whole.zip`))
  const [listed] = await tillgateJson(['year', 'list', '--location', id], { env })
  assert.deepEqual([listed.archive, listed.documents], ['whole.zip', 12])
  await foldAnew(id)
  await assertAnswers(filled, before, 'figures made anew')
  assert.equal((await verifyLocation(pool, id)).verified, true)

  // A repeated run finds nothing more.
  assert.match((await archiveYear(id, archive)).stdout, /archived .* 0 versions/)

  const { json: begun } = await app.request('POST', '/v1/journal/verifications', {
    key,
    headers: { 'content-type': 'application/json' },
    body: '{"full":true}',
  })
  let walked: any
  await eventually(async () => {
    walked = (await app.get(`/v1/journal/verifications/${begun.id}`, { key })).json
    return walked.state !== 'running'
  }, 'the verification ends')
  assert.equal(walked.state, 'ok', JSON.stringify(walked))

  const gone = await app.get(`/v1/orders/${ids[0]}/history`, { key })
  assert.deepEqual([gone.status, gone.json.code, gone.json.archives], [410, 'documents_aside', ['whole.zip']])
  const feed = await app.get('/v1/events/?after=0', { key })
  assert.deepEqual([feed.status, feed.json.code], [410, 'documents_aside'])
  assert.equal((await app.get(`/v1/events/?after=${feed.json.after}`, { key })).status, 200)
  assert.equal((await app.get('/v1/events/1', { key })).json.code, 'documents_aside')
  assert.equal((await app.get(`/v1/orders/${later}/history`, { key })).json.length, 4)
  for (const command of [
    ['rebuild', '--location', id],
    ['redact', '--location', id, '--operator', idOf('operator', 1)],
  ]) {
    const refused = await tillgate([...command, '--json'], { env })
    assert.equal(refused.code, 2, refused.stdout)
    assert.equal(JSON.parse(refused.stderr).error.code, 'documents_aside')
  }

  // One byte is added to the row that has the only copy of a latest version.
  await pool`update orders set document = document || ' ' where location_id = ${id} and id = ${ids[0] as string}`
  assert.equal((await verifyLocation(pool, id)).verified, false)
  await pool`update orders set document = rtrim(document) where location_id = ${id} and id = ${ids[0] as string}`

  const back = await tillgate(['year', 'bring-back', archive], { env })
  assert.equal(back.code, 0, back.stderr)
  assert.match(back.stdout, /12 versions/)
  assert.deepEqual((await journalOf(id)).slice(0, journal.length), journal)
  await assertAnswers(filled, before, 'brought back')
  const restored = await verifyLocation(pool, id)
  assert.ok(restored.verified && restored.aside === undefined, JSON.stringify(restored))
  assert.match((await tillgate(['year', 'bring-back', archive], { env })).stdout, /0 versions/)
  const [alone] = await pool`select count(*)::int as n from orders where location_id = ${id} and alone`
  assert.equal(alone?.['n'], 0)
})

test('a push that changes an order in the archive is accepted, counted once, and the old version stays provable', async () => {
  const { site, ids } = await fill()
  const { id, key } = site
  const archive = join(folder, 'changed.zip')
  assert.equal((await archiveYear(id, archive)).code, 0)
  const [one] = ids
  const sold = { ...soldOn(site, 2, 1), updatedAt: at('2026-04-03', '10:00') }
  const again = await app.push([order(soldOn(site, 2, 1))], { key })
  assert.equal(again.json.unchanged, 1, again.text)
  const sum = async () => {
    const { json } = await app.get('/v1/sales/?since=2026-03-01&until=2026-04-30', { key })
    return json.totals.salesInclTax
  }
  const before = await sum()
  await app.store(
    [order({ ...sold, items: [dish(1, 22, 2)], total: 22, totalTax: 2, payments: [{ ...card, paymentAmount: 22 }] })],
    key,
  )
  assert.equal(await sum(), before + 1_100)
  assert.equal((await app.get(`/v1/orders/${one}`, { key })).json.total, 22)
  // The first two versions are archived, the third was restored, and the fourth is new.
  assert.equal(await asideOf(id), 11)
  for (const projection of [daysProjection, salesProjection]) await catchUpProjection(pool, projection, id)
  assert.deepEqual(
    { ...(await verifyLocation(pool, id)), entries: 0 }.verified,
    true,
    JSON.stringify(await verifyLocation(pool, id)),
  )
  await foldAnew(id)
  assert.equal(await sum(), before + 1_100)
  const back = await tillgate(['year', 'bring-back', archive], { env })
  assert.equal(back.code, 0, back.stderr)
  const { json: history } = await app.get(`/v1/orders/${one}/history`, { key })
  assert.deepEqual(
    history.map(({ data }: any) => data.total),
    [11, 11, 11, 22],
  )
})

test('a changed archive, or one of another year, removes nothing and restores nothing', async () => {
  const { site } = await fill()
  const archive = join(folder, 'false.zip')
  await tillgateJson(['archive', '--location', site.id, '--year', '2025', '--out', archive], { env })
  const bytes = readFileSync(archive)
  const changed = Buffer.from(bytes)
  const middle = changed.indexOf('journal/') + 60
  changed[middle] = (changed[middle] as number) ^ 1
  const other = join(folder, 'other.zip')
  writeFileSync(other, changed)
  const refused = await archiveYear(site.id, other, '--json')
  assert.equal(refused.code, 2)
  assert.equal(JSON.parse(refused.stderr).error.code, 'archive_invalid')
  const { site: second } = await fill()
  const foreign = await archiveYear(second.id, archive, '--json')
  assert.equal(JSON.parse(foreign.stderr).error.code, 'archive_invalid')
  assert.equal((await asideOf(site.id)) + (await asideOf(second.id)), 0)
})

test('an encrypted archive is read, and moved back, with the identity of its recipient alone', async () => {
  const { site } = await fill()
  const archive = join(folder, 'sealed.zip.age')
  const { identity, recipient } = await generateKey()
  const file = join(folder, 'identity.txt')
  writeFileSync(file, `${identity}\n`)
  const put = await archiveYear(site.id, archive, '--recipient', recipient, '--identity', file)
  assert.equal(put.code, 0, put.stderr)
  assert.match(readFileSync(archive, 'latin1'), /^age-encryption\.org/)
  assert.equal(await asideOf(site.id), 12)
  const closed = await tillgate(['year', 'bring-back', archive, '--json'], { env })
  assert.deepEqual([closed.code, JSON.parse(closed.stderr).error.code], [2, 'usage'])
  const back = await tillgate(['year', 'bring-back', archive, '--identity', file], { env })
  assert.equal(back.code, 0, back.stderr)
  assert.equal(await asideOf(site.id), 0)
})

test('versions that a webhook still has to send, or figures to read, are not moved', async () => {
  const { site } = await fill()
  const body = {
    events: ['order.paid'],
    endpointUrl: 'http://127.0.0.1:9/',
    locationId: site.id,
    recipientId: idOf('order', 1),
  }
  const made = await app.request('POST', '/v1/webhooks/', {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await pool`update webhooks set cursor = 3 where location_id = ${site.id}`
  const archive = join(folder, 'read.zip')
  const refused = await archiveYear(site.id, archive, '--json')
  assert.equal(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '').error.code, 'webhook_behind', refused.stderr)
  assert.equal(await asideOf(site.id), 0)
  await pool`update webhooks set cursor = (select last_seq from location_seq where location_id = ${site.id}) where location_id = ${site.id}`
  await pool`
    insert into projections (location_id, name, generation, version, seq, begun_at_seq, live)
    values (${site.id}, 'other', 1, '', 5, 0, false)`
  const figures = await archiveYear(site.id, archive, '--json')
  assert.equal(JSON.parse(figures.stderr).error.code, 'figures_behind', figures.stderr)
  await pool`delete from projections where location_id = ${site.id} and name = 'other'`
  assert.equal((await archiveYear(site.id, archive)).code, 0)
  const replayed = await app.request('POST', `/v1/webhooks/${made.json.id}/replay`, {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: '{"sequence":1}',
  })
  assert.equal(replayed.json.code, 'documents_aside', replayed.text)
})

test('after an end at any statement, in either direction, every version is in the database or in the archive, and the next run continues', async () => {
  const filled = await fill()
  const { id } = filled.site
  const archive = join(folder, 'killed.zip')
  await tillgateJson(['archive', '--location', id, '--year', '2025', '--out', archive], { env })
  const journal = await journalOf(id)
  const documents = new Map(journal.map(({ seq, document }) => [seq, document]))
  const [year] = await pool<{ from: number; to: number }[]>`
    select from_seq as "from", to_seq as "to" from closings where location_id = ${id} and period = 'year'`
  assert.ok(year)
  const proven: ProvenArchive = { ...year, archive: 'killed.zip', sha256: '0'.repeat(64), redactedAt: 0 }
  const now = new Date()
  // If the first version of an order is in the year before, the whole order stays.
  const later = await chooseToArchive(pool, id, { from: year.from + 5, to: year.to }, { after: year.from + 4 })
  assert.deepEqual(later?.seqs, [])
  const away = async () => {
    for (let after = year.from - 1; ;) {
      const chosen = await archiveNext(pool, id, proven, { after, now, atOnce: 5 })
      if (!chosen) return
      after = chosen.to
    }
  }
  const home = async () => {
    for (const aside of (await listAsides(pool, id)).toReversed())
      await bringBack(pool, id, aside, { documentOf: (seq) => documents.get(seq) ?? undefined, now })
  }
  const before = await answers(filled)
  const check = async (when: string) => {
    const verdict = await verifyLocation(pool, id)
    assert.ok(verdict.verified, `${when}: ${JSON.stringify(verdict)}`)
    for (const { seq, document } of await journalOf(id))
      if (document !== null && documents.has(seq)) assert.equal(document, documents.get(seq), when)
    await foldAnew(id)
    await assertAnswers(filled, before, when)
  }
  for (const [name, work] of [['away', away] as const, ['home', home] as const]) {
    let n = 1
    for (; await crashing(pool, n, work); n++) await check(`${name}, statement ${n}`)
    // One step has at least that many statements.
    assert.ok(n > 8, `${name} had ${n} statements`)
    assert.equal(await asideOf(id), name === 'away' ? 12 : 0)
    await check(`${name} at its end`)
  }
})

test('a backup of the remaining data restores it, and names the archived part', async () => {
  const { site } = await fill()
  const archive = join(folder, 'backed-up.zip')
  assert.equal((await archiveYear(site.id, archive)).code, 0)
  const dir = join(folder, 'backup')
  const other = await createDatabase()
  const to = { DATABASE_URL: toUrl(other.connection) }
  await tillgateJson(['backup', dir], { env })
  await tillgateJson(['restore', dir], { env: to })
  const verdict = await verifyLocation(other.pool, site.id)
  assert.ok(verdict.verified, JSON.stringify(verdict))
  assert.deepEqual(verdict.aside, { documents: 8, archives: ['backed-up.zip'] })
  const rows = async (of: typeof pool) => of`
    select id, paid, closed, document from orders where location_id = ${site.id} order by id`
  assert.deepEqual(await rows(other.pool), await rows(pool))
  // The backup has the latest versions of archived orders; they are removed again with the archive.
  const flags = ['--location', site.id, '--year', '2025', '--archive', archive]
  assert.equal((await tillgateJson(['year', 'put-aside', ...flags], { env: to })).documents, 4)
  const [listed] = await tillgateJson(['year', 'list', '--location', site.id], { env: to })
  assert.equal(listed.documents, 12)
  const back = await tillgate(['year', 'bring-back', archive], { env: to })
  assert.equal(back.code, 0, back.stderr)
  const whole = await verifyLocation(other.pool, site.id)
  assert.ok(whole.verified && whole.aside === undefined, JSON.stringify(whole))
})

test('the next run of a backup that was made while a year was archived contains the documents that were restored', async () => {
  const { site } = await fill()
  const { id } = site
  const archive = join(folder, 'restored.zip')
  const dir = join(folder, 'continued')
  assert.equal((await archiveYear(id, archive)).code, 0)
  await tillgateJson(['backup', dir], { env })
  assert.equal((await tillgate(['year', 'bring-back', archive], { env })).code, 0)
  const run = await tillgateJson(['backup', dir], { env })
  assert.ok(run.replaced > 0, JSON.stringify(run))
  const other = await createDatabase()
  await tillgateJson(['restore', dir], { env: { DATABASE_URL: toUrl(other.connection) } })
  const verdict = await verifyLocation(other.pool, id)
  assert.ok(verdict.verified && verdict.aside === undefined, JSON.stringify(verdict))
  const documents = async (of: typeof pool) => of`
    select seq, document from journal where location_id = ${id} and kind = 'order' order by seq`
  assert.deepEqual(await documents(other.pool), await documents(pool))
})
