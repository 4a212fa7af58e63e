import type { CatalogChange } from './schema.ts'

type Entry = { id: string; name: string } & Record<string, unknown>
type Field = CatalogChange['fields'][number]

/** Yields to the event loop after this many parts: a list of 1 MiB has 15,000 prices. */
const partsPerTurn = 500

/** A shown value is cut after this many characters. */
const keptOfValue = 1_000

function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, keptOfValue).toWellFormed()
}

/** Returns the id and the name of a price or an option. */
const nameOfPart = (part: Record<string, unknown>) => ({
  id: String(part['id'] ?? part['priceTypeId']),
  name: String(part['name'] ?? part['priceTypeName']),
})

const isParts = (value: unknown): value is Record<string, unknown>[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null)

function partsById(value: unknown): Map<string, Record<string, unknown>> {
  return new Map(isParts(value) ? value.map((part) => [nameOfPart(part).id, part]) : [])
}

/** Called for each part; yields to the event loop once in `partsPerTurn` calls. */
type Pause = () => Promise<unknown> | undefined

/**
 * Lists the fields that differ in a product, group, payment or tax. `of` is the price or option to which a field
 * belongs.
 */
async function fieldsBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  pause: Pause,
): Promise<Field[]> {
  const fields: Field[] = []
  const note = (field: string, of: string | null, was: unknown, is: unknown) => {
    const texts = { before: toText(was), after: toText(is) }
    if (texts.before !== texts.after) fields.push({ field, of, ...texts })
  }
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isParts(before[field] ?? []) || !isParts(after[field] ?? [])) {
      note(field, null, before[field], after[field])
      continue
    }
    const [olds, news] = [partsById(before[field]), partsById(after[field])]
    for (const id of new Set([...olds.keys(), ...news.keys()])) {
      await pause()
      const [was, is] = [olds.get(id), news.get(id)]
      const of = nameOfPart(is ?? was ?? {}).name
      if (was === undefined || is === undefined) note(field, of, was, is)
      else for (const key of Object.keys({ ...was, ...is })) note(`${field}.${key}`, of, was[key], is[key])
    }
  }
  return fields
}

/**
 * Lists the entries that differ between two versions of a list, by id: added, changed and removed. The first version is
 * compared with an empty list. `turn` yields to other work.
 */
export async function catalogChanges(
  before: string | null,
  after: string,
  turn: () => Promise<unknown>,
): Promise<CatalogChange[]> {
  let parts = 0
  const pause = () => (++parts % partsPerTurn === 0 ? turn() : undefined)
  const byId = (document: string | null) =>
    new Map((JSON.parse(document ?? '[]') as Entry[]).map((entry) => [entry.id.toLowerCase(), entry]))
  const olds = byId(before)
  await turn()
  const news = byId(after)
  await turn()
  const present: CatalogChange[] = []
  for (const entry of news.values()) {
    await pause()
    const old = olds.get(entry.id.toLowerCase())
    const { id, name } = entry
    const fields = old ? await fieldsBetween(old, entry, pause) : []
    if (!old) present.push({ kind: 'added', id, name, fields })
    else if (fields.length > 0) present.push({ kind: 'changed', id, name, fields })
  }
  const gone = [...olds.values()].filter(({ id }) => !news.has(id.toLowerCase()))
  return [...present, ...gone.map(({ id, name }): CatalogChange => ({ kind: 'removed', id, name, fields: [] }))]
}
