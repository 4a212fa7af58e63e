import { createHash } from 'node:crypto'
import { toPointer } from '../documents/json-spelling.ts'
import { readDocument } from '../documents/json-text.ts'

/** A path of keys and indexes from the root of the document. */
type Path = (string | number)[]

const kinds = ['order', 'report', 'location'] as const

type Kind = (typeof kinds)[number]

/** Replacement for a field that must be an id. */
export const blankId = '00000000-0000-0000-0000-000000000000'

/**
 * All fields that may be blanked, by kind, with their replacements; `*` is any element. Amounts, times and fields that
 * sums, lists or links depend on are not included.
 */
export const redactable: Record<Kind, Record<string, '' | null | typeof blankId>> = {
  order: {
    '/operatorId': blankId,
    '/operatorName': '',
    '/customerId': '',
    '/orderPlace': '',
    '/transferReason': null,
    '/cancelReason': null,
    '/externalOrderId': null,
    '/items/*/cancelReason': null,
    '/items/*/transferReason': null,
    '/items/*/lossReason': null,
    '/tips/*/operatorId': blankId,
  },
  report: {
    '/clerkName': null,
    '/clerkId': null,
    '/reportClerksShift/*/name': '',
    '/reportClerksShift/*/id': blankId,
    '/reportEntries/*/entryName': '',
    '/reportHeaderInfo/headerName': '',
    '/reportHeaderInfo/headerAddress': '',
    '/reportHeaderInfo/headerCity': '',
    '/reportHeaderInfo/headerZip': '',
    '/reportHeaderInfo/headerPhone': '',
    '/reportHeaderInfo/headerSiret': '',
    '/reportHeaderInfo/headerTva': '',
    '/reportHeaderInfo/headerText': '',
    '/reportHeaderInfo/headerUrl': '',
  },
  location: {
    '/name': '',
    '/address': '',
    '/city': '',
    '/zip': '',
    '/country': '',
    '/phone': '',
    '/text': '',
    '/url': '',
    '/siret': '',
    '/tva': '',
    '/naf': '',
    '/deviceList/*/name': '',
  },
}

// Returns the entry of `redactable` that covers a pointer: an index counts as any element.
export function findRedactable(kind: Kind, pointer: string): string | undefined {
  const wanted = pointer.replaceAll(/\/(?:0|[1-9]\d*)(?=\/|$)/g, '/*')
  return Object.hasOwn(redactable[kind], wanted) ? wanted : undefined
}

/** A rule that blanks data of a location. Persons are stored as digests, with which an id can be compared. */
export type Rule = { fields: string[] } & (
  | { operator: string; names: string[] }
  | { customer: string }
  | { order: string }
  | { report: string }
  | { location: string }
)

export function personDigest(locationId: string, value: string): string {
  return createHash('sha256').update(`tillgate erasure\n${locationId}\n${value.toLowerCase()}`).digest('hex')
}

/** Returns the digests of the text with and without surrounding spaces, because a till may add them. */
export function digestsOf(locationId: string, text: string): string[] {
  return [...new Set([text, text.trim()])].map((spelled) => personDigest(locationId, spelled))
}

type Match = { holder: Record<string | number, unknown>; path: Path; pattern: string }

/** Returns all places of a document that a pattern, or a pointer, matches. */
function placesOf(value: unknown, pointer: string, pattern: string): Match[] {
  let found: { value: unknown; path: Path; holder?: Match['holder'] }[] = [{ value, path: [] }]
  for (const part of pointer.split('/').slice(1)) {
    found = found.flatMap(({ value: holder, path }) => {
      if (typeof holder !== 'object' || holder === null) return []
      const keys = Array.isArray(holder) ? [...holder.keys()].filter((i) => part === '*' || part === String(i)) : [part]
      const of = holder as Match['holder']
      return keys
        .filter((key) => Object.hasOwn(of, key))
        .map((key) => ({ value: of[key], path: [...path, key], holder: of }))
    })
  }
  return found.flatMap(({ holder, path }) => (holder ? [{ holder, path, pattern }] : []))
}

const lastOf = (path: Path) => path.at(-1) as string | number

/** Lists the places of one document that a rule matches. */
function placesMeant(
  { locationId, kind, id }: { locationId: string; kind: Kind; id: string },
  value: unknown,
  rule: Rule,
): Match[] {
  const at = (pattern: string) => placesOf(value, pattern, pattern)
  const is = (digest: string, text: unknown) => typeof text === 'string' && digestsOf(locationId, text).includes(digest)
  const ruleFields = () =>
    rule.fields.flatMap((field) => {
      const pattern = findRedactable(kind, field)
      return pattern === undefined ? [] : placesOf(value, field, pattern)
    })
  const document = value as Record<string, unknown>
  if ('order' in rule) return kind === 'order' && rule.order === id ? ruleFields() : []
  if ('report' in rule) return kind === 'report' && rule.report === id ? ruleFields() : []
  if ('location' in rule) return kind === 'location' && rule.location === id ? ruleFields() : []
  if ('customer' in rule) {
    return kind === 'order' && is(rule.customer, document['customerId']) ? [...at('/customerId'), ...ruleFields()] : []
  }
  const { operator, names } = rule
  const isTheirs = ({ holder, path }: Match) => is(operator, holder[lastOf(path)])
  if (kind === 'location') return []
  if (kind === 'order') {
    const own = is(operator, document['operatorId'])
      ? [...at('/operatorId'), ...at('/operatorName'), ...ruleFields()]
      : []
    return [...own, ...at('/tips/*/operatorId').filter(isTheirs)]
  }
  const shifts = at('/reportClerksShift/*/id').filter(isTheirs)
  const isClerk =
    is(operator, document['clerkId']) || (!document['clerkId'] && names.some((name) => is(name, document['clerkName'])))
  return [
    ...shifts,
    ...shifts.map(({ holder, path }) => ({
      holder,
      path: [...path.slice(0, -1), 'name'],
      pattern: '/reportClerksShift/*/name',
    })),
    ...(isClerk ? [...at('/clerkId'), ...at('/clerkName')] : []),
    ...(isClerk || shifts.length > 0 ? ruleFields() : []),
  ]
}

/** Blanks the personal data that the rules select in a document, keeping the spelling of numbers. Null if nothing is left to blank. */
export function redact(
  entry: { locationId: string; kind: string; id: string; document: string },
  rules: readonly Rule[],
): { document: string; pointers: string[] } | null {
  const { locationId, id, document } = entry
  const kind = kinds.find((known) => known === entry.kind)
  if (kind === undefined) return null
  const value = readDocument(document)
  if (typeof value !== 'object' || value === null) return null
  const places = rules.flatMap((rule) => placesMeant({ locationId, kind, id }, value, rule))
  const blanked = new Set<string>()
  for (const { holder, path, pattern } of places) {
    const blank = redactable[kind][pattern] ?? null
    // Null means that there was no value, and stays null.
    if (holder[lastOf(path)] === blank || holder[lastOf(path)] === null) continue
    holder[lastOf(path)] = blank
    blanked.add(toPointer(path))
  }
  if (blanked.size === 0) return null
  return { document: JSON.stringify(value), pointers: [...blanked].toSorted() }
}

/** Returns the names of an operator in a document, because a report may identify the person by name only. */
export function namesIn(document: string, operatorId: string): string[] {
  const value = JSON.parse(document) as {
    operatorId?: string
    operatorName?: string
    reportClerksShift?: { id: string; name: string }[]
    clerkId?: string | null
    clerkName?: string | null
  }
  const isTheirs = (id: string | null | undefined) => id?.toLowerCase() === operatorId.toLowerCase()
  const names = [
    isTheirs(value.operatorId) ? value.operatorName : '',
    isTheirs(value.clerkId) ? value.clerkName : '',
    ...(value.reportClerksShift ?? []).filter(({ id }) => isTheirs(id)).map(({ name }) => name),
  ]
  return names.filter((name): name is string => Boolean(name))
}
