import { redactFaults, redactRecord, type Sought } from '../../domain/redaction/redacted-texts.ts'
import type { Rule } from '../../domain/redaction/redaction.ts'
import type { Fault } from '../../contract/errors/errors.ts'
import { transact, type Pool, type Sql, type Transaction } from '../db/database.ts'
import { lockRules } from './redactions.ts'
import type { RejectedRecord } from '../pushes/rejected.ts'

/** Maximum number of rows that one transaction changes. */
const chunk = 200

type Texts = Pick<RejectedRecord, 'record' | 'detail' | 'errors'>

/** Redacts rejected records, and the errors that quote their values. */
export function redactRejected<Row extends Texts>(
  locationId: string,
  row: Row,
  rules: readonly Rule[],
  sought?: Sought,
): Row {
  const record = redactRecord(locationId, row.record, rules, sought)
  const faults = JSON.parse(row.errors) as Fault[]
  const redacted = redactFaults(locationId, faults, rules, sought)
  // The detail of a record is the detail of its first fault.
  const isNamed = redacted[0]?.detail !== faults[0]?.detail || sought?.isNamedIn(row.detail) === true
  return { ...row, record, detail: isNamed ? '' : row.detail, errors: JSON.stringify(redacted) }
}

type RedactionScope = { locationId: string; isDry: boolean }

/**
 * Walks rows by an ascending key and rewrites some, each part in a transaction of its own, which keeps the location on
 * its node (SQL rule 17). Resolves to the number of rewritten rows.
 */
async function rewrite<Row extends { id: string }>(
  pool: Pool,
  { locationId, isDry }: RedactionScope,
  list: (tx: Transaction, after: string) => PromiseLike<readonly Row[]>,
  change: (tx: Transaction, row: Row) => Promise<boolean>,
): Promise<number> {
  let after = '00000000-0000-0000-0000-000000000000'
  let changed = 0
  for (;;) {
    const { rows, n } = await transact(pool, async (tx) => {
      if (!isDry) await lockRules(tx, locationId)
      const part = await list(tx, after)
      const done = await Promise.all(part.map((row) => change(tx, row)))
      return { rows: part, n: done.filter(Boolean).length }
    })
    changed += n
    if (rows.length < chunk) return changed
    after = rows.at(-1)?.id ?? after
  }
}

type RejectedRow = Texts & { id: string }

/** Selects rows whose text contains one of the patterns, ignoring case. */
const holdsOne = (sql: Sql, text: string, patterns: readonly string[]) => sql`
  exists (select 1 from unnest(${[...patterns]}::text[]) t where strpos(lower(${sql.unsafe(text)}), lower(t)) > 0)`

/** Blanks the rejected records of a location that contain a match; with `isDry` it only counts them. */
export async function redactRejectedRecords(
  pool: Pool,
  locationId: string,
  { rule, sought, isDry }: { rule: Rule; sought: Sought; isDry: boolean },
): Promise<number> {
  const list = (tx: Sql, after: string) => tx<RejectedRow[]>`
    select id, record, detail, errors from rejected_records
    where location_id = ${locationId} and id > ${after}
      and ${holdsOne(tx, 'record || detail || errors', sought.patterns)}
    order by id limit ${chunk}`
  return rewrite(pool, { locationId, isDry }, list, async (tx, row) => {
    const next = redactRejected(locationId, row, [rule], 'operator' in rule || 'customer' in rule ? sought : undefined)
    if (next.record === row.record && next.detail === row.detail && next.errors === row.errors) return false
    if (isDry) return true
    await tx`
      update rejected_records set record = ${next.record}, detail = ${next.detail}, errors = ${next.errors}
      where location_id = ${locationId} and id = ${row.id}`
    return true
  })
}

type AttemptRow = { id: string; webhookId: string; at: Date; seq: number; document: string }

/**
 * Empties the receivers' answers to deliveries of these entries, which may repeat what was sent, and every answer that
 * contains a match. Reads the location's delivery log.
 */
export async function redactAttempts(
  pool: Pool,
  locationId: string,
  { sequences, sought, isDry }: { sequences: readonly number[]; sought: Sought | undefined; isDry: boolean },
): Promise<number> {
  const meant = new Set(sequences)
  const list = (tx: Sql, after: string) => tx<AttemptRow[]>`
    select id, webhook_id as "webhookId", at, seq, document from webhook_attempts
    where location_id = ${locationId} and id > ${after}
      and (seq = any(${sequences.map(String)}::text[]::bigint[])
        or ${holdsOne(tx, 'document', sought?.patterns ?? [])})
    order by id limit ${chunk}`
  return rewrite(pool, { locationId, isDry }, list, async (tx, { id, webhookId, at, seq, document }) => {
    const delivery = JSON.parse(document) as { response: { headers: Record<string, string>; body: string } }
    const { headers, body } = delivery.response
    const answered = [body, ...Object.entries(headers).flat()].filter((text) => text !== '')
    if (answered.length === 0 || !(meant.has(seq) || answered.some((text) => sought?.standsIn(text)))) return false
    if (isDry) return true
    const next = JSON.stringify({ ...delivery, response: { headers: {}, body: '' } })
    await tx`
      update webhook_attempts set document = ${next}
      where location_id = ${locationId} and webhook_id = ${webhookId} and at = ${at} and id = ${id}`
    return true
  })
}

/**
 * Empties the texts of warnings of the location that contain a match; the warning itself stays, with its code and
 * pointer. With `isDry` it only counts them.
 */
export async function redactWarnings(
  pool: Pool,
  locationId: string,
  { sought, isDry }: { sought: Sought; isDry: boolean },
): Promise<number> {
  const list = (tx: Sql, after: string) => tx<{ id: string; detail: string }[]>`
    select id, detail from ingest_warnings
    where location_id = ${locationId} and id > ${after} and ${holdsOne(tx, 'detail', sought.patterns)}
    order by id limit ${chunk}`
  return rewrite(pool, { locationId, isDry }, list, async (tx, { id, detail }) => {
    if (!sought.standsIn(detail)) return false
    if (!isDry) await tx`update ingest_warnings set detail = '' where location_id = ${locationId} and id = ${id}`
    return true
  })
}
