import type { DocumentText } from '../../domain/documents/document-text.ts'
import { hasId, rowsOfIds } from '../../store/db/by-id.ts'
import { cells, column, namesOf, runOver, unnest, type Column } from '../../store/db/columns.ts'
import type { Sql } from '../../store/db/database.ts'
import { readNumbered, type NumberedDocument } from '../paging/numbered.ts'
import { readFilteredPage, toFenced } from '../paging/filtered-pages.ts'
import { readPage, type DatedList, type Documents, type PageOf, type PageRead, type Reads } from '../paging/pages.ts'
import type { Reader } from '../../store/db/reader/reader.ts'

/**
 * The columns of an order, except its location and the derived ones (`closed`, `document`): name, type, and member of
 * `OrderRow`. Writing, reading, comparing and finding use this list. `filter` is the parameter that filters by the
 * column: an index must leave few rows (`orders_report`, `orders_number`) or contain the column (`orders_created`).
 */
const orderColumns = [
  { name: 'id', type: 'uuid', of: 'id' },
  /** Journal number of this version. */
  { name: 'seq', type: 'bigint', of: 'seq' },
  { name: 'created_at', type: 'timestamptz', of: 'createdAt' },
  /** The latest `updatedAt` of all versions until now. */
  { name: 'updated_at', type: 'timestamptz', of: 'updatedAt' },
  { name: 'closed_at', type: 'timestamptz', of: 'closedAt', nullable: true },
  { name: 'report_id', type: 'uuid', of: 'reportId', nullable: true, filter: 'reportId' },
  { name: 'canceled', type: 'boolean', of: 'canceled' },
  { name: 'transferred', type: 'boolean', of: 'transferred' },
  /** `order.paid` was sent for this or an earlier version. */
  { name: 'paid', type: 'boolean', of: 'paid' },
  /** The second key of an order from another system; null if it has none. */
  { name: 'external_key', type: 'uuid', of: 'externalKey', nullable: true },
  /** Whether the document of its journal entry was archived. */
  { name: 'alone', type: 'boolean', of: 'alone' },
  // The columns below are for finding orders. Texts are normalized by `toFilterText`.
  { name: 'number', type: 'text', of: 'number', filter: 'number' },
  { name: 'device_id', type: 'uuid', of: 'deviceId', filter: 'deviceId' },
  { name: 'operator_id', type: 'uuid', of: 'operatorId', filter: 'operatorId' },
  { name: 'channel', type: 'text', of: 'channel', filter: 'channel' },
  { name: 'service_type', type: 'text', of: 'serviceType', filter: 'serviceType' },
  { name: 'training', type: 'boolean', of: 'training', filter: 'isTraining' },
] as const

type OrderColumn = (typeof orderColumns)[number]

type ValueOf = { uuid: string; bigint: number; timestamptz: string; boolean: boolean; text: string }

export type OrderRow = {
  [Of in OrderColumn as Of['of']]: ValueOf[Of['type']] | (Of extends { nullable: true } ? null : never)
} & { document: DocumentText }

type FilterColumn = Extract<OrderColumn, { filter: string }>

/** The properties by which an order is found, except its report. */
export type OrderProperties = Omit<Pick<OrderRow, FilterColumn['of']>, 'reportId'>

export type OrderState = 'open' | 'closed' | 'all'

const lists: Record<OrderState, DatedList> = {
  closed: { table: 'orders', kinds: ['order.closed'], condition: 'and closed' },
  open: { table: 'orders', kinds: ['order.open'], condition: 'and not closed' },
  all: { table: 'orders', kinds: ['order.closed', 'order.open'], condition: '' },
}

const byId = `select seq || document from orders o where o.location_id = $1 and ${hasId('$2::uuid')}`

/** Finds the order as bytes; undefined if the location has no order with this id. */
export function findOrderBytes(reader: Reader, locationId: string, id: string): Promise<NumberedDocument> {
  return readNumbered(reader, byId, locationId, id)
}

/** Rows that `closed` reads: from the start of its first range to the end of the last. Index: orders_closed. */
const closedRows = 'closed and closed_at >= lower($::tstzmultirange) and closed_at <= upper($::tstzmultirange)'

/** Conditions that filter the list of orders in addition to its dates and state, in any combination. */
const conditions = Object.fromEntries(
  orderColumns.flatMap((of) => ('filter' in of ? [[of.filter, `${of.name} = $`]] : [])),
) as Record<FilterColumn['filter'], string>

const totalIn = (text: string) => `substring(${text} from '"total":([-+.0-9eE]+)')::numeric`

/** The total of the order: the first `total` of the document, because items, which have totals too, come later. */
const totalOf = totalIn('document')

/** `isMovedAway` of `contract/money/counted.ts` in SQL. */
const movedAway = `transferred and strpos(document, '"payments":[]') > 0 and ${totalOf} <> 0`

/** These columns have no index: each row in the range of dates is read, so the caller limits the dates (`isWithin`). */
const rowConditions = {
  /** A counted order (docs/modules/figures.md). `closed` is derived from `closed_at`. */
  isCounted: `(closed and not training and not canceled and not (${movedAway})) = $::boolean`,
  isCanceled: 'canceled = $',
  /** Time ranges, such as `{[2026-03-14T04:00:00.000Z,2026-03-15T04:00:00.000Z)}`. */
  closed: 'closed_at <@ $::tstzmultirange',
}

/** Matches any spelling of a value: tills write ids in either case, and accented letters as one character or two. */
const containsAny = (text: string) => `exists (select from unnest($::text[]) wanted where strpos(${text}, wanted) > 0)`

/** The text with which every item, and nothing else in an order, begins: `description` is its first field. */
const itemStart = `'{"description":'`

/** The items of an order as text, in the column `item`. */
const itemsOf = `unnest(string_to_array(document, ${itemStart})) with ordinality items (item, place) where place > 1`

/** `isKept` of `contract/money/counted.ts` in SQL, on the stored text of an item. */
const kept = `strpos(item, '"isCanceled":false') > 0 and strpos(item, '"isLoss":false') > 0`

const stayed = `strpos(item, '"isTransferred":false') > 0`

/** `countedItems` of `contract/money/counted.ts` in SQL; amounts are cut to four decimals. */
const notMovedAway = `(${stayed} or (
  select sum(units) = max(whole) or coalesce(sum(units) filter (where stays), 0) <> max(whole)
  from (select trunc(${totalIn('item')}, 4) units, trunc(${totalOf}, 4) whole, ${stayed} stays from ${itemsOf} and ${kept}) sums))`

/** `partedItems` of `contract/money/counted.ts` in SQL. */
const countedItem = `${kept} and item !~ '"kind":"(voucher|deposit|charge)"' and ${notMovedAway}`

/** `isTaxNotStated` of `contract/money/classes.ts` in SQL. */
const taxNotStated = `(strpos(item, '"isStated":false') > 0 or (item ~ '"taxName":"(No tax)?","taxRate":'
  and substring(item from '"taxRate":([-+.0-9eE]+)')::numeric = 0 and substring(item from '"taxAmount":([-+.0-9eE]+)')::numeric = 0))`

/** Filters on items. They apply to all items of an order, or only to counted items. */
const itemConditions = {
  category: containsAny('item'),
  productId: containsAny('item'),
  discountId: containsAny('item'),
  taxRate: `round(substring(item from '"taxRate":([-+.0-9eE]+)')::numeric * 10000) = $::numeric`,
  isTaxNotStated: `${taxNotStated} = $::boolean`,
}

type ItemFilter = keyof typeof itemConditions

/** A rate of 0 selects only items that state it, as in figures. */
const countedConditions: Record<ItemFilter, string> = {
  ...itemConditions,
  taxRate: `${itemConditions.taxRate} and not ${taxNotStated}`,
}

/** Returns the condition that at least one item, or one counted item, meets the given condition. */
function anyItem(condition: string, counts: boolean): string {
  return `exists (select from ${itemsOf} and ${condition}${counts ? ` and ${countedItem}` : ''})`
}

/**
 * Filters on values that have no column and are searched for in the documents. The search is on text, since PostgreSQL
 * takes five times as long to parse JSON. A quote inside a text is stored as \", so a field with its value matches
 * nowhere else. Every order in the range of dates is read, so the caller limits the dates (`isWithin`).
 */
const documentConditions = {
  payment: containsAny('document'),
  ...(Object.fromEntries(
    Object.entries(itemConditions).map(([name, condition]) => [name, anyItem(condition, false)]),
  ) as Record<ItemFilter, string>),
  minTotal: `${totalOf} >= $::numeric`,
  maxTotal: `${totalOf} <= $::numeric`,
}

const fieldOf = {
  payment: 'paymentName',
  category: 'category',
  productId: 'itemCatalogId',
  discountId: 'discountCatalogId',
} as const

const readConditions = { ...rowConditions, ...documentConditions }

const allConditions = { ...conditions, ...readConditions }

export type FilterName = keyof typeof allConditions

export const isFilterName = (name: string): name is FilterName => name in allConditions

/** Values as text, named after their parameters, except `closed`, which is computed from the days of closing. */
export type OrderFilters = Partial<Record<FilterName, string | undefined>>

// Created once, because every page of orders iterates over these names.
const allNames = Object.keys(allConditions) as FilterName[]
const readNames = Object.keys(readConditions) as FilterName[]

/** Returns the filters that read every order in the range of dates; none if another filter leaves few rows. */
export function filtersThatRead(filters: OrderFilters): FilterName[] {
  const { reportId, number } = filters
  return reportId === undefined && number === undefined ? readNames.filter((name) => filters[name] !== undefined) : []
}

const isId = new Set<string>(['productId', 'discountId'])

const isOfItem = (name: FilterName): name is ItemFilter => name in itemConditions

/** Returns the condition of a filter; with `isCounted`, that of an item matches only counted items, as in figures. */
function conditionOf(name: FilterName, filters: OrderFilters): string {
  return isOfItem(name) && filters.isCounted !== undefined
    ? anyItem(countedConditions[name], true)
    : allConditions[name]
}

/** Returns the searched text as it is in a document: the field name and the value in JSON. */
function toWanted(name: string, value: string): string {
  if (!(name in fieldOf)) return value.normalize()
  const spellings = isId.has(name)
    ? [value.toLowerCase(), value.toUpperCase()]
    : [value.normalize('NFC'), value.normalize('NFD')]
  const field = fieldOf[name as keyof typeof fieldOf]
  const texts = [...new Set(spellings)].map((text) => `"${field}":${JSON.stringify(text)}`)
  return `{${texts.map((text) => `"${text.replaceAll(/["\\\\]/g, (char) => `\\${char}`)}"`).join(',')}}`
}

/**
 * Resolves to whether the list of a state (open, closed or all) has at most this many orders in the range of dates and
 * in the days of closing. Indexes: orders_created, orders_closed.
 */
export async function isWithin(
  reader: Reader,
  locationId: string,
  { state, filters, page }: OrderPage,
  atMost: number,
): Promise<boolean> {
  const { closed } = filters
  const table = closed === undefined ? 'orders' : `(${toFenced('orders', closedRows.replaceAll('$', '$5'))}) orders`
  const text = `select count(*)::text from (
      select 1 from ${table} where location_id = $1 and created_at >= $2 and created_at <= $3 ${lists[state].condition} limit $4
    ) counted`
  const bounds = [page.range.first, page.range.last].map((ms) => new Date(ms).toISOString())
  const parameters = [locationId, ...bounds, String(atMost + 1), ...(closed === undefined ? [] : [closed])]
  return Number(await reader.first(text, parameters)) <= atMost
}

export type OrderPage = { state: OrderState; filters: OrderFilters; page: PageOf }

/** Collects one page of orders. The page, the total count and the sequence belong to one state. */
export async function collectOrders(
  reads: Reads,
  locationId: string,
  { state, filters, page }: OrderPage,
  documents: Documents,
): Promise<PageRead> {
  const list = lists[state]
  // Filtering by report or number leaves fewer rows than filtering by days.
  const areDaysRead = filtersThatRead(filters).length > 0
  const given = allNames
    .filter((name) => filters[name] !== undefined)
    .map((name) => ({
      condition: conditionOf(name, filters),
      value: toWanted(name, filters[name] as string),
      rows: name === 'closed' && areDaysRead ? closedRows : undefined,
    }))
  return given.length === 0
    ? readPage(reads, locationId, { list, page }, documents)
    : readFilteredPage(reads.reader, locationId, { list, filters: given, page }, documents)
}

/** Maximum size of the orders of one report that are read, in bytes: about ten thousand ordinary orders. */
export const reportBytes = 32 * 1024 * 1024

/** The stored version of an order; `seq` is its journal entry. */
export type OrderVersion = { id: string; seq: number }

/** `isComplete` is false if there are more orders, beyond `reportBytes`. */
export type OrdersOfReport = { versions: OrderVersion[]; isComplete: boolean }

/**
 * Lists the orders that carry a report's id and the orders that it names (`ids`, in lower case), each once, by id, up
 * to `reportBytes`. Indexes: orders_report, and the primary key for named orders that do not carry the id.
 */
export async function listOrdersOfReport(
  sql: Sql,
  locationId: string,
  reportId: string,
  ids: readonly string[],
): Promise<OrdersOfReport> {
  type Found = OrderVersion & { bytes: number }
  const carrying = await sql<Found[]>`
    select id, seq, octet_length(document) as bytes from orders
    where location_id = ${locationId} and report_id = ${reportId}`
  const seen = new Set(carrying.map(({ id }) => id))
  const others = [...new Set(ids)].filter((id) => !seen.has(id))
  const named =
    others.length === 0
      ? []
      : await sql<Found[]>`
          select id, seq, octet_length(document) as bytes from ${rowsOfIds(sql, 'orders', locationId, others)}`
  const found = [...carrying, ...named].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  let bytes = 0
  const versions = found.filter((order) => (bytes += order.bytes) <= reportBytes).map(({ id, seq }) => ({ id, seq }))
  return { versions, isComplete: versions.length === found.length }
}

/** Lists the stored documents of orders, by id. */
export async function listOrderDocuments(sql: Sql, locationId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await sql<{ document: string }[]>`
    select document from ${rowsOfIds(sql, 'orders', locationId, ids)} order by id`
  return rows.map(({ document }) => document)
}

/**
 * Writes the documents of archived versions back to the journal before newer versions replace them, because each new
 * version is compared with the one before. The caller holds the head's lock.
 */
export async function giveBack(sql: Sql, locationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update journal j set document = o.document from orders o
    where o.location_id = ${locationId} and o.id = any(${[...ids]}::uuid[]) and o.alone
      and j.location_id = ${locationId} and j.seq = o.seq and j.document is null`
}

const columnsOf = (orders: readonly OrderRow[], columns: readonly OrderColumn[]): Column[] =>
  columns.map(({ name, type, of }) =>
    column(
      name,
      type,
      orders.map((order) => order[of]),
    ),
  )

const ofState = orderColumns.filter(({ name }) => name !== 'id' && name !== 'seq')

/** Makes the columns of an order that its journal entry does not have. */
export const stateColumns = (orders: readonly OrderRow[]): Column[] => columnsOf(orders, ofState)

/** Returns the SQL that replaces all columns of an existing order with those of the new row. */
export function onOrderConflict(columns: readonly Column[]): string {
  const names = [...columns.map(({ name }) => name), 'closed', 'document'].filter(
    (name) => !/^(location_)?id$/.test(name),
  )
  return `on conflict (location_id, id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`
}

/**
 * Writes orders with distinct ids. The caller has decided that these versions win, and has appended them to the journal
 * in this transaction: each order takes its document from its journal entry, so the document is sent once. An order
 * without an entry is refused. Each entry is looked up separately: a join planned in a new database would read the
 * whole journal.
 */
export async function upsertOrders(sql: Sql, locationId: string, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return
  const columns = columnsOf(orders, orderColumns)
  const text = `insert into orders (location_id, ${namesOf(columns)}, closed, document)
    select $1::uuid, ${cells(columns)}, t.closed_at is not null,
      (select j.document from journal j where j.location_id = $1::uuid and j.seq = t.seq)
    from ${unnest(columns)}
    ${onOrderConflict(columns)}`
  await runOver(sql, text, locationId, columns)
}

/** A stored order with times as `Date`. */
export type StoredOrder = Omit<OrderRow, TimeColumn['of']> &
  Record<Exclude<TimeColumn['of'], 'closedAt'>, Date> & { closedAt: Date | null }

type TimeColumn = Extract<OrderColumn, { type: 'timestamptz' }>

const times = orderColumns.filter((of): of is TimeColumn => of.type === 'timestamptz').map(({ of }) => of)

/** The columns that `toOrderRow` reads; `o` is the table of orders. */
export const storedColumns = `${orderColumns.map(({ name, of }) => `o.${name} as "${of}"`).join(', ')}, o.document`

export function toOrderRow(stored: StoredOrder): OrderRow {
  const row: Record<string, unknown> = { ...stored }
  for (const of of times) row[of] = stored[of]?.toISOString() ?? null
  return row as OrderRow
}

/** Finds the stored versions of these orders, by lower-case id. The caller holds the head's lock, so they are the latest. */
export async function findOrders(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, OrderRow>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<StoredOrder[]>`
    select ${sql.unsafe(storedColumns)} from ${rowsOfIds(sql, 'orders', locationId, ids)}`
  return new Map(rows.map((row) => [row.id, toOrderRow(row)]))
}

/**
 * Finds the orders with these second keys: ids in lower case, by key. The caller holds the head's lock, so no key is
 * assigned concurrently. Index: orders_external.
 */
export async function findExternalOwners(
  sql: Sql,
  locationId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const rows = await sql<{ id: string; key: string }[]>`
    select id, external_key as key from orders
    where location_id = ${locationId} and external_key is not null and external_key = any(${[...keys]}::uuid[])`
  return new Map(rows.map(({ id, key }) => [key, id]))
}

/** Frees the second keys of orders to which this transaction then gives other second keys, in any order. */
export async function releaseExternalKeys(sql: Sql, locationId: string, ids: readonly string[]): Promise<void> {
  await sql`update orders set external_key = null where location_id = ${locationId} and id = any(${[...ids]}::uuid[])`
}
