import { redact, type Rule } from '../domain/redaction.ts'
import { transact, type Pool, type Sql, type Transaction } from './database.ts'
import { lockRules } from './redactions.ts'
import type { RejectedRecord } from './rejected.ts'

/** Rows per transaction. */
const chunk = 200

type Texts = Pick<RejectedRecord, 'record' | 'detail' | 'errors'>

/**
 * What a till sent and was not stored, blanked by the rules. `texts` must not be left anywhere in it: where they stand
 * elsewhere than the rules say, in a record that cannot be read for example, the whole text goes.
 */
export function redactRejected<Row extends Texts>(
  locationId: string,
  row: Row,
  rules: readonly Rule[],
  texts: readonly string[] = [],
): Row {
  const holds = (text: string) => texts.some((one) => text.toLowerCase().includes(one.toLowerCase()))
  const record = blankRecord(locationId, row.record, rules) ?? row.record
  const { detail, errors } = row
  return {
    ...row,
    record: holds(record) ? '' : record,
    detail: holds(detail) ? '' : detail,
    errors: holds(errors) ? '[]' : errors,
  }
}

function blankRecord(locationId: string, record: string, rules: readonly Rule[]): string | undefined {
  try {
    const { type, data } = JSON.parse(record) as { type?: string; data?: { id?: unknown } }
    if (type === undefined || data === undefined) return undefined
    const id = String(data.id).toLowerCase()
    const blanked = redact({ locationId, kind: type, id, document: JSON.stringify(data) }, rules)
    return blanked ? JSON.stringify({ type, data: JSON.parse(blanked.document) as unknown }) : undefined
  } catch {
    return undefined
  }
}

type Place = { locationId: string; isDry: boolean }

/**
 * Walks rows by a key that ascends and rewrites some, each part in a transaction of its own, which holds the location
 * where it is (SQL rule 17). Resolves to how many.
 */
async function rewrite<Row extends { id: string }>(
  pool: Pool,
  { locationId, isDry }: Place,
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

/** Blanks the rejected records of a location that hold one of the texts; with `isDry` it counts them only. */
export async function redactRejectedRecords(
  pool: Pool,
  locationId: string,
  { rule, texts, isDry }: { rule: Rule; texts: readonly string[]; isDry: boolean },
): Promise<number> {
  const patterns = texts.map((text) => text.toLowerCase())
  const list = (tx: Sql, after: string) => tx<RejectedRow[]>`
    select id, record, detail, errors from rejected_records
    where location_id = ${locationId} and id > ${after}
      and exists (select 1 from unnest(${patterns}::text[]) t where strpos(lower(record || detail || errors), t) > 0)
    order by id limit ${chunk}`
  return rewrite(pool, { locationId, isDry }, list, async (tx, row) => {
    const next = redactRejected(locationId, row, [rule], 'operator' in rule || 'customer' in rule ? texts : [])
    if (next.record === row.record && next.detail === row.detail && next.errors === row.errors) return false
    if (isDry) return true
    await tx`
      update rejected_records set record = ${next.record}, detail = ${next.detail}, errors = ${next.errors}
      where location_id = ${locationId} and id = ${row.id}`
    return true
  })
}

type AttemptRow = { id: string; webhookId: string; at: Date; document: string }

/**
 * Empties what receivers answered to deliveries of these entries, where an answer may repeat what it was sent, and every
 * log entry of the location that holds one of the texts. Reads the location's delivery log.
 */
export async function redactAttempts(
  pool: Pool,
  locationId: string,
  { sequences, texts, isDry }: { sequences: readonly number[]; texts: readonly string[]; isDry: boolean },
): Promise<number> {
  const patterns = texts.map((text) => text.toLowerCase())
  const list = (tx: Sql, after: string) => tx<AttemptRow[]>`
    select id, webhook_id as "webhookId", at, document from webhook_attempts
    where location_id = ${locationId} and id > ${after}
      and (seq = any(${sequences.map(String)}::text[]::bigint[])
        or exists (select 1 from unnest(${patterns}::text[]) t where strpos(lower(document), t) > 0))
    order by id limit ${chunk}`
  return rewrite(pool, { locationId, isDry }, list, async (tx, { id, webhookId, at, document }) => {
    const delivery = JSON.parse(document) as { response: { headers: object; body: string } }
    if (delivery.response.body === '' && Object.keys(delivery.response.headers).length === 0) return false
    if (isDry) return true
    const next = JSON.stringify({ ...delivery, response: { headers: {}, body: '' } })
    await tx`
      update webhook_attempts set document = ${next}
      where location_id = ${locationId} and webhook_id = ${webhookId} and at = ${at} and id = ${id}`
    return true
  })
}

/**
 * Empties what warnings of the location say where it holds one of the texts; that there was a warning, of what and where,
 * stays. With `isDry` it counts them only.
 */
export async function redactWarnings(
  pool: Pool,
  locationId: string,
  { texts, isDry }: { texts: readonly string[]; isDry: boolean },
): Promise<number> {
  const patterns = texts.map((text) => text.toLowerCase())
  const list = (tx: Sql, after: string) => tx<{ id: string }[]>`
    select id from ingest_warnings
    where location_id = ${locationId} and id > ${after}
      and exists (select 1 from unnest(${patterns}::text[]) t where strpos(lower(detail), t) > 0)
    order by id limit ${chunk}`
  return rewrite(pool, { locationId, isDry }, list, async (tx, { id }) => {
    if (!isDry) await tx`update ingest_warnings set detail = '' where location_id = ${locationId} and id = ${id}`
    return true
  })
}
