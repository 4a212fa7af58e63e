import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { chainHash, commitTo, genesis } from '../../src/core/domain/journal/chain.ts'
import { hashKey, newKey } from '../../src/core/domain/accounts/keys.ts'
import { daysProjection } from '../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../src/modules/figures/projections/sales.ts'
import type { Pool } from '../../src/core/store/db/database.ts'
import { openCopy } from './copy.ts'
import type { Site } from './server.ts'

const dayMs = 86_400_000

/** The first days of sales of the locations, a quarter of a year apart, over ten years. */
const [firstDay, days, apartDays] = [Date.parse('2016-01-04T10:00:00.000Z'), 40, 91]

/** The day of the last orders, for a history of any length. */
export const lastDay = new Date(firstDay + (days - 1) * apartDays * dayMs).toISOString().slice(0, 10)

/** Number of locations with a key, evenly distributed. */
const keyed = 20

export type Shape = { locations: number; entries: number }

/** An order that was pushed twice, open and closed, as stored in the database: the original of all copies. */
type Template = {
  id: string
  order: Record<string, string | null>
  versions: { document: string; types: string; updatedAt: string }[]
}

async function readTemplate(pool: Pool, locationId: string): Promise<Template> {
  const versions = await pool<{ id: string; document: string; types: string; updatedAt: string }[]>`
    select id, document, types::text as types, document::json ->> 'updatedAt' as "updatedAt" from journal
    where location_id = ${locationId} and kind = 'order' order by seq`
  const [row] = await pool<{ order: string }[]>`
    select row_to_json(o)::text as order from orders o where location_id = ${locationId}`
  const [first] = versions
  if (!first || !row || versions.length !== 2) throw new Error('the order to copy was not stored in two versions')
  return { id: first.id, order: JSON.parse(row.order) as Template['order'], versions }
}

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0')

export const locationOf = (n: number) => `${hex(n, 8)}-0000-4000-8000-00000000000a`

/** Returns the id of an order, by a 32-bit bijection: ids are unordered, like those of tills. */
export const orderIdOf = (n: number) => `${hex(Math.imul(n + 1, 2_654_435_761) >>> 0, 8)}-0001-4000-8000-00000000000b`

/** Returns the time of an order: each day has the same number of orders, and a short history has only the last days. */
function momentOf(index: number, count: number, perDay: number): number {
  const fromEnd = count - 1 - index
  const day = days - 1 - Math.floor(fromEnd / perDay)
  return firstDay + day * apartDays * dayMs + (perDay - 1 - (fromEnd % perDay)) * 300_000
}

/** Writes lines to two tables at once, no faster than the database accepts them. */
class Lines {
  readonly #stream: Writable
  #text = ''
  #failure: Error | undefined

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', (error: Error) => (this.#failure ??= error))
  }

  add(cells: readonly (string | number)[]): void {
    this.#text += `${cells.join('\t')}\n`
  }

  async drain(least = 1_048_576): Promise<void> {
    if (this.#failure) throw this.#failure
    if (this.#text.length < least) return
    const isTaken = this.#stream.write(this.#text)
    this.#text = ''
    if (!isTaken) await once(this.#stream, 'drain')
  }

  async end(): Promise<void> {
    await this.drain(1)
    this.#stream.end()
    await once(this.#stream, 'finish')
  }
}

const entryColumns = 'location_id, seq, accepted_at, kind, id, prev_seq, types, document, salt, commitment, hash'

type Copies = { journal: Lines; orders: Lines; dayCounts: Lines; heads: Lines; columns: readonly string[] }

type Place = { template: Template; shape: Shape; perDay: number; epoch: string }

/** Replaces what distinguishes one order from another in a stored document. */
function makeDocument(
  document: string,
  of: { id: string; locationId: string },
  to: { id: string; locationId: string },
) {
  return document.replaceAll(of.id, to.id).replaceAll(of.locationId, to.locationId)
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\')

/** Writes the journal of one location, chained, and everything derived from it except figures. */
async function copyLocation(n: number, seed: string, { template, shape, perDay, epoch }: Place, copies: Copies) {
  const locationId = locationOf(n)
  const count = shape.entries / 2
  const counts = new Map<string, { n: number; seq: number }>()
  let hash = genesis
  let [seq, acceptedAt] = [0, '']
  // Split once at its times and ids: this way a hundred thousand documents a second are built.
  const texts = template.versions.map(({ document, updatedAt }) =>
    makeDocument(document, { id: template.id, locationId: seed }, { id: '<id>', locationId })
      .replaceAll(`"updatedAt":"${updatedAt}"`, '"updatedAt":"<at>"')
      .replaceAll(String(template.versions[0]?.updatedAt), '<created>')
      .replaceAll(String(template.versions[1]?.updatedAt), '<at>'),
  )
  const parts = texts.map((text) => text.split(/(<id>|<created>|<at>)/))
  for (let index = 0; index < count; index++) {
    const id = orderIdOf(n * count + index)
    const createdMs = momentOf(index, count, perDay)
    const createdAt = new Date(createdMs).toISOString()
    const closedAt = new Date(createdMs + 45 * 60_000).toISOString()
    for (const [v, part] of parts.entries()) {
      const at = v === 0 ? createdAt : closedAt
      if (at > acceptedAt) acceptedAt = at
      let document = ''
      for (const piece of part)
        document += piece === '<id>' ? id : piece === '<created>' ? createdAt : piece === '<at>' ? at : piece
      seq += 1
      const types = template.versions[v]?.types ?? '{}'
      const prevSeq = v === 0 ? null : seq - 1
      const salt = `${hex(n, 8)}${hex(seq, 8)}0123456789abcdef`
      const commitment = commitTo(salt, document)
      const names = types.slice(1, -1).split(',').filter(Boolean)
      const link = { locationId, epoch, seq, acceptedAt, kind: 'order', id, prevSeq, types: names, commitment }
      hash = chainHash(hash, link)
      const text = escaped(document)
      copies.journal.add([
        locationId,
        seq,
        acceptedAt,
        'order',
        id,
        prevSeq ?? '\\N',
        types,
        text,
        salt,
        commitment,
        hash,
      ])
      if (v === 0) continue
      const own: Record<string, string> = {
        location_id: locationId,
        id,
        created_at: createdAt,
        updated_at: closedAt,
        closed_at: closedAt,
        seq: String(seq),
        document: text,
      }
      copies.orders.add(copies.columns.map((name) => own[name] ?? template.order[name] ?? '\\N'))
    }
    const day = createdAt.slice(0, 10)
    counts.set(day, { n: (counts.get(day)?.n ?? 0) + 1, seq })
    await copies.journal.drain()
    await copies.orders.drain()
  }
  for (const [day, of] of counts) copies.dayCounts.add([locationId, 'order.closed', day, of.n, of.seq])
  copies.heads.add([locationId, epoch, seq, hash, acceptedAt])
}

async function open(pool: Pool, columns: readonly string[]): Promise<Copies> {
  const copy = async (text: string) => new Lines(await openCopy(pool, `copy ${text} from stdin`))
  return {
    journal: await copy(`journal (${entryColumns})`),
    orders: await copy(`orders (${columns.join(', ')})`),
    dayCounts: await copy('day_counts (location_id, kind, day, n, seq)'),
    heads: await copy('location_seq (location_id, epoch, last_seq, last_hash, last_accepted_at)'),
    columns,
  }
}

async function copyLocations(pool: Pool, seed: string, place: Place, [from, to]: [number, number]): Promise<void> {
  const copies = await open(pool, Object.keys(place.template.order))
  for (let n = from; n <= to; n++) await copyLocation(n, seed, place, copies)
  for (const lines of [copies.journal, copies.orders, copies.dayCounts, copies.heads]) await lines.end()
}

/**
 * Runs work without the indexes of a table except its key, and recreates them: ten times as fast as maintaining them.
 */
async function withoutIndexes(pool: Pool, table: string, work: () => Promise<void>): Promise<void> {
  const indexes = await pool<{ name: string; text: string }[]>`
    select indexname as name, indexdef as text from pg_indexes where tablename = ${table} and indexname not like '%_pkey'`
  for (const { name } of indexes) await pool.unsafe(`drop index ${name}`)
  await work()
  for (const { text } of indexes) await pool.unsafe(text)
}

/** The rows of a projection of the first location are the same for every other: their orders differ only in ids. */
const figures: Record<string, string> = {
  projections: 'location_id',
  sales_cells: 'location_id',
  device_days: 'location_id',
  book_days: 'location_id',
}

async function copyFigures(pool: Pool, locations: number): Promise<void> {
  const first = locationOf(1)
  for (const table of Object.keys(figures)) {
    const columns = await pool<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where table_name = ${table} and column_name <> 'location_id' order by ordinal_position`
    const names = columns.map(({ name }) => name).join(', ')
    await pool.unsafe(
      `insert into ${table} (location_id, ${names})
        select (lpad(to_hex(n), 8, '0') || '-0000-4000-8000-00000000000a')::uuid, ${names}
        from ${table}, generate_series(2, $2::int) n where location_id = $1`,
      [first, locations],
    )
  }
}

async function addLocations(pool: Pool, seed: string, locations: number): Promise<void> {
  const columns = await pool<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_name = 'locations' and column_name not in ('id', 'document', 'without_devices', 'seq') order by 1`
  const names = columns.map(({ name }) => name).join(', ')
  const id = `lpad(to_hex(n), 8, '0') || '-0000-4000-8000-00000000000a'`
  await pool.unsafe(
    `insert into locations (id, document, without_devices, seq, ${names})
      select (${id})::uuid, replace(document, $1, ${id}), replace(without_devices, $1, ${id}), 0, ${names}
      from locations, generate_series(1, $2::int) n where id = $1::uuid`,
    [seed, locations],
  )
}

async function addKeys(pool: Pool, locations: number): Promise<Site[]> {
  const sites: Site[] = []
  for (let i = 0; i < keyed; i++) {
    const locationId = locationOf(1 + Math.floor((i * locations) / keyed))
    const key = newKey('test')
    await pool`
      insert into api_keys (id, hash, hint, name, location_id, scopes, created_at)
      values (gen_random_uuid(), ${hashKey(key)}, ${key.slice(0, 12)}, 'bench', ${locationId},
        '{read,webhooks,ingest}', '2016-01-01')`
    sites.push({ locationId, key })
  }
  return sites
}

/**
 * Fills a database with locations whose journals have equal lengths and valid chains, with the orders, counts and
 * figures derived from them. All orders are copies of the one order of the location `seed`, which was pushed open and
 * closed. A short history, of `perDay` orders per day, is the end of a long one. Resolves to locations that have a key.
 */
export async function fillHistory(
  pool: Pool,
  seed: string,
  { shape, perDay }: { shape: Shape; perDay: number },
): Promise<Site[]> {
  const template = await readTemplate(pool, seed)
  const place = { template, shape, perDay, epoch: '0123abcd' }
  await addLocations(pool, seed, shape.locations)
  await withoutIndexes(pool, 'orders', async () => {
    await copyLocations(pool, seed, place, [1, 1])
    await copyLocations(pool, seed, place, [2, shape.locations])
  })
  await pool.unsafe('vacuum (analyze) journal')
  await pool.unsafe('vacuum (analyze) orders')
  for (const projection of [salesProjection, daysProjection])
    while ((await stepProjection(pool, projection, locationOf(1))) === 'behind');
  await copyFigures(pool, shape.locations)
  await pool.unsafe('vacuum (analyze)')
  await pool.unsafe('checkpoint').catch(() => undefined)
  return addKeys(pool, shape.locations)
}
