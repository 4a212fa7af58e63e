import { randomUUID } from 'node:crypto'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import { keptOfRejected } from '../../../core/ingest/record-limits.ts'
import { isRejection, readRecord, type Incoming, type Rejection } from '../../../core/ingest/records.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { Closing, Ticket } from '../schemas/tickets.ts'
import type { Profile } from '../adapters/adapter.ts'
import type { Pull, PulledDocument, PulledPage } from '../adapters/pull.ts'
import { assembleTicket } from '../adapters/ticket/assemble.ts'
import { assembleClosing } from '../adapters/ticket/closing.ts'

/** A document that is not stored, because it is skipped (`left`) or refused. */
export type Unstored = { key: string; kind: 'left' | 'refused'; reason: string; rejection?: Rejection }

/**
 * The records of a page. `gone` has canceled records of deleted documents, which are stored only if the document was
 * stored before.
 */
export type Converted = {
  records: Incoming[]
  gone: Incoming[]
  unstored: Unstored[]
  keys: string[]
  keyOf: Map<Incoming, string>
}

export type Conversion = {
  pull: Pull
  profile: Profile
  locationId: string
  rules: MoneyRules
  /** Versions before this time are history and cause no events; null if all versions are history. */
  newsFrom: Date | null
  now: Date
}

/** Maximum length of a document, in characters; a longer one is refused, because no order is that long. */
const longestDocument = 1024 * 1024

type Made = { type: 'order' | 'report'; data: Order | Report; version: string }

/** Finds the document of a ticket: the document with its key, or a document that contains the key. */
function documentOf(documents: readonly PulledDocument[], key: string): PulledDocument | undefined {
  const part = JSON.stringify(key.split(':').at(-1) ?? key)
  return (
    documents.find((one) => one.key === key) ??
    documents.find(({ document }) => JSON.stringify(document).includes(part))
  )
}

function refuse(documents: readonly PulledDocument[], key: string, reason: string): Unstored {
  const found = documentOf(documents, key)
  const record = Buffer.from(JSON.stringify(found?.document ?? { key })).toString('utf8', 0, keptOfRejected)
  const code = reason.startsWith('said.') ? 'ticket_differs' : 'invalid_value'
  const detail = `${key}: ${reason}`.slice(0, 1_000)
  const errors = [{ in: 'body' as const, pointer: '', code: code as 'invalid_value', detail }]
  const rejection = { line: 1, code: code as 'invalid_value', detail, errors, record, keptAs: randomUUID() }
  return { key: found?.key ?? key, kind: 'refused', reason: reason.slice(0, 1_000), rejection }
}

/** Reads a record as a push does: the shape, the rules and the events are the same. */
function toIncoming({ type, data, version }: Made, { locationId, rules, newsFrom, now }: Conversion) {
  const bytes = Buffer.from(JSON.stringify({ type, data }))
  const isHistory = newsFrom === null || Date.parse(version) < newsFrom.getTime()
  return readRecord(bytes, {
    line: 1,
    locationId,
    warner: { rules, warn: () => [], compared: () => undefined, warnOfEntry: () => [] },
    isHistory,
    now,
  })
}

function toOrder(ticket: Ticket, { locationId, rules }: Conversion): Made | string {
  const made = assembleTicket(ticket, { locationId, decimals: rules.money.decimals })
  return 'order' in made ? { type: 'order', data: made.order, version: ticket.version } : made.refusal.detail
}

const toReport = (closing: Closing, { locationId }: Conversion): Made => ({
  type: 'report',
  data: assembleClosing(closing, locationId),
  version: closing.version ?? closing.to,
})

/** Converts the documents of a page: each becomes a record, is skipped, or is refused with its reason. */
export function convert({ documents: pulled, context = [] }: PulledPage, conversion: Conversion): Converted {
  const isLong = ({ document }: PulledDocument) => JSON.stringify(document).length > longestDocument
  const documents = pulled.filter((one) => !isLong(one))
  const own = new Set(documents.map(({ key }) => key))
  const others = context.filter(({ key }) => !own.has(key))
  const otherKeys = new Set(others.map(({ key }) => key))
  const mapped = conversion.pull.map(
    [...documents, ...others].map(({ document }) => document),
    conversion.profile,
  )
  const unstored: Unstored[] = [
    ...pulled
      .filter(isLong)
      .map(({ key }) => refuse([], key, `the document has more than ${longestDocument} characters`)),
    ...mapped.left.map(({ key, reason }) => ({ key, kind: 'left' as const, reason })),
    ...mapped.refused.map(({ key, reason }) => refuse(documents, key, reason)),
  ].filter(({ key }) => !otherKeys.has(key))
  const records: Incoming[] = []
  const keyOf = new Map<Incoming, string>()
  const take = (made: Made | string, key: string, into: Incoming[]): void => {
    const read = typeof made === 'string' ? made : toIncoming(made, conversion)
    if (typeof read === 'string') unstored.push(refuse(documents, key, read))
    else if (isRejection(read)) unstored.push(refuse(documents, key, read.detail))
    else {
      keyOf.set(read, documentOf(documents, key)?.key ?? key)
      into.push(read)
    }
  }
  for (const ticket of mapped.tickets) {
    if (!otherKeys.has(ticket.key)) take(toOrder(ticket, conversion), ticket.key, records)
  }
  for (const closing of mapped.closings) take(toReport(closing, conversion), closing.key, records)
  const gone: Incoming[] = []
  for (const ticket of mapped.gone) take(toOrder(ticket, conversion), ticket.key, gone)
  return { records, gone, unstored, keys: [...own], keyOf }
}
