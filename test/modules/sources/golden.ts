import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  newMapped,
  type Adapter,
  type Mapped,
  type Profile,
  type SourceFile,
} from '../../../src/modules/sources/adapters/adapter.ts'
import { listAdapters } from '../../../src/modules/sources/adapters/all.ts'
import { csvAdapter } from '../../../src/modules/sources/adapters/csv-map/map.ts'
import type { CsvMap } from '../../../src/modules/sources/adapters/csv-map/schema.ts'
import { runSource } from '../../../src/modules/sources/adapters/run.ts'
import { Scratch } from '../../../src/modules/sources/adapters/scratch.ts'

export type Json = any

/** A document of a small shop. */
export type ShopFile = SourceFile & { bytes: Buffer }

export type Shop = {
  name: string
  adapter: Adapter
  files: ShopFile[]
  profile: Profile & { dayStartsAt: string }
  expected: Json[]
}

/** Returns a file in two pieces, to test reading by pieces. */
export const fileOf = (name: string, bytes: Buffer): ShopFile => ({
  name,
  bytes,
  async *read() {
    const cut = Math.ceil(bytes.length / 2)
    yield bytes.subarray(0, cut)
    if (cut < bytes.length) yield bytes.subarray(cut)
  },
})

type ShopLike = Pick<Shop, 'adapter' | 'expected' | 'profile'>

/** Runs a source on the files of a shop. Resolves to what it returned, and to the records. */
export async function runShop({ adapter, expected, profile }: ShopLike, files: readonly SourceFile[]) {
  const scratch = new Scratch()
  try {
    const run = await runSource(adapter, files, { locationId: expected[0].data.locationId, profile }, scratch)
    const records = [...run.lines()].map(
      (line) => JSON.parse(line.toString()) as { type: 'order' | 'report'; data: Json },
    )
    return { ...run, records }
  } finally {
    scratch.close()
  }
}

/** Maps the files of a shop to records. */
export async function mapShop({ adapter, profile }: Pick<Shop, 'adapter' | 'profile'>, files: readonly SourceFile[]) {
  const all: Mapped = newMapped()
  const scratch = new Scratch()
  try {
    const hand = ({ tickets, closings }: Mapped) => {
      all.tickets.push(...tickets)
      all.closings.push(...closings)
    }
    await adapter.map(files, profile, { scratch, hand, keepState: () => {} })
    return all
  } finally {
    scratch.close()
  }
}

const folder = join(import.meta.dirname, 'shops')

const linesOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)

/** Reads the documents of an invented shop, with the records that they must become, calculated by hand. */
function readShop(name: string): Shop {
  const read = (file: string) => readFileSync(join(folder, name, file))
  const own = new Set(['profile.json', 'expected.ndjson', 'map.json'])
  const files = readdirSync(join(folder, name)).filter((file) => !own.has(file))
  const json = (file: string) => JSON.parse(read(file).toString()) as Json
  const adapter =
    name === 'csv' ? csvAdapter(json('map.json') as CsvMap) : listAdapters().get(name.replace(/-(ca|us)$/, ''))
  if (!adapter) throw new Error(`no adapter for ${name}`)
  return {
    name,
    adapter,
    files: files.map((file) => fileOf(file, read(file))),
    profile: json('profile.json'),
    expected: linesOf(read('expected.ndjson').toString()),
  }
}

export const shops: Shop[] = readdirSync(folder).toSorted().map(readShop)

/** Lists whose order does not matter. */
const unordered = new Set(
  'payments tips reportTaxes reportPayments reportDiscounts reportProducts reportEntries orders menus'.split(' '),
)

/** Returns a value without members that are null or empty, with lists of rows sorted. */
function normal(value: Json, name = ''): Json {
  if (Array.isArray(value)) {
    const list = value.map((one) => normal(one))
    return unordered.has(name) ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list
  }
  if (typeof value !== 'object' || value === null) return value
  const isThere = ([, one]: [string, Json]) =>
    one !== null && one !== undefined && !(Array.isArray(one) && one.length === 0)
  return Object.fromEntries(
    Object.entries(value)
      .filter(isThere)
      .map(([key, one]) => [key, normal(one, key)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Returns the newest version of each order and report, by id. */
export function byId(records: readonly { type: string; data: Json }[]): Map<string, Json> {
  const found = new Map<string, Json>()
  for (const { type, data } of records) {
    if (type !== 'order' && type !== 'report') continue
    const known = found.get(data.id)
    if (!known || known.updatedAt <= data.updatedAt) found.set(data.id, data)
  }
  return new Map([...found].map(([id, data]) => [id, normal(data)]))
}
