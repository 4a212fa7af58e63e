import { setImmediate } from 'node:timers/promises'
import { toText } from '../../domain/documents/document-text.ts'
import { shortenNames, type OperatorNames } from '../../domain/redaction/operator-names.ts'
import { redact } from '../../domain/redaction/redaction.ts'
import type { Sql } from '../../store/db/database.ts'
import { redactRejected } from '../../store/repair/redacted-copies.ts'
import { lockRules, readRules } from '../../store/repair/redactions.ts'
import { resourceOf } from '../../contract/all-resources.ts'
import type { RejectedRecord } from '../../store/pushes/rejected.ts'
import type { Incoming } from '../records.ts'
import { recordsPerTurn } from '../event-loop-share.ts'

/** Placeholders for missing times. They do not influence redaction. */
const anyTimes = { createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' }

/** Applies the redactions of a location to records: data that a till sends again stays blank. */
export function eraseFrom(
  records: readonly Incoming[],
  locationId: string,
  erasures: string | null,
): readonly Incoming[] {
  const rules = readRules(erasures)
  if (rules.length === 0) return records
  return records.map((record) => {
    const { type: kind, id } = record
    const erase = (document: string) => redact({ locationId, kind, id, document }, rules)?.document
    const erased = erase(toText(record.document(anyTimes)))
    if (erased === undefined) return record
    return {
      ...record,
      // Columns for searching, such as the operator, are blanked as well.
      facts: resourceOf(kind).facts(JSON.parse(erased), record.rules) as unknown,
      document: (times) => erase(toText(record.document(times))) ?? record.document(times),
    }
  })
}

/** Applies the setting for operators' names to the records. */
export function withNames(records: readonly Incoming[], mode: OperatorNames): readonly Incoming[] {
  if (mode === 'keep') return records
  return records.map((record) => ({
    ...record,
    document: (times) => shortenNames(record.type, toText(record.document(times)), mode),
  }))
}

function shortenRejected(row: RejectedRecord, mode: OperatorNames): RejectedRecord {
  try {
    const { type, data } = JSON.parse(row.record) as { type: string; data: unknown }
    const document = shortenNames(type, JSON.stringify(data), mode)
    return { ...row, record: JSON.stringify({ type, data: JSON.parse(document) as unknown }) }
  } catch {
    // The record cannot be parsed, so a name in it cannot be found.
    return { ...row, record: '' }
  }
}

/**
 * Applies redactions and the setting for names to rejected records, which the transaction then stores: the rules cannot
 * change before its commit. An unreadable record is emptied if names are not stored, or persons were redacted.
 */
export async function cleanRejected(
  sql: Sql,
  locationId: string,
  rows: readonly RejectedRecord[],
  mode: OperatorNames,
): Promise<readonly RejectedRecord[]> {
  if (rows.length === 0) return rows
  const rules = await lockRules(sql, locationId)
  const named = mode === 'keep' ? rows : rows.map((row) => shortenRejected(row, mode))
  if (rules.length === 0) return named
  const cleaned: RejectedRecord[] = []
  for (const row of named) {
    cleaned.push(redactRejected(locationId, row, rules))
    if (cleaned.length % recordsPerTurn === 0) await setImmediate()
  }
  return cleaned
}
