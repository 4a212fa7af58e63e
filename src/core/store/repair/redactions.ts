import { acceptanceTime, commitTo } from '../../domain/journal/chain.ts'
import type { Redaction } from '../../domain/journal/marks.ts'
import { redact, type Rule } from '../../domain/redaction/redaction.ts'
import { transact, type Pool, type Sql } from '../db/database.ts'
import { walkRows } from '../db/walk.ts'
import { appendChanges, newSalts } from '../journal/journal.ts'
import { resourceOf } from '../../contract/all-resources.ts'
import { takeHead } from '../journal/resumption.ts'

/** Maximum number of entries that a transaction blanks, and that an entry of kind `redaction` names. */
export const redactedAtOnce = 200

type Found = { seq: number; kind: 'order' | 'report' | 'location'; id: string; document: string }

/** One version that a redaction blanks, or would blank. */
export type Blanked = { sequence: number; kind: string; id: string; pointers: string[] }

/**
 * The entries to check: those of one resource, or those of orders that contain one of the texts. Reports are few, so
 * the search by text checks all of them.
 */
export type Search = { id: string } | { texts: readonly string[] }

/** Yields the entries that the search finds, in order, in batches: one walk along the primary key. */
export function findEntries(sql: Sql, locationId: string, search: Search): AsyncGenerator<Found[]> {
  const which =
    'id' in search
      ? sql`and id = ${search.id} and kind in ('order', 'report', 'location')`
      : sql`and ((kind = 'order' and exists (
          select 1 from unnest(${[...search.texts]}::text[]) t where strpos(lower(document), lower(t)) > 0)) or kind = 'report')`
  return walkRows(
    0,
    (after, batch) => sql<Found[]>`
      select seq, kind, id, document from journal
      where location_id = ${locationId} and seq > ${after} ${which} order by seq limit ${batch}`,
    ({ seq }) => seq,
    redactedAtOnce,
  )
}

/**
 * Returns the rules for what tills send. Locks the location's row until commit, by an update (SQL rule 17): if a rule
 * is added later, its search finds what this transaction writes.
 */
export async function lockRules(sql: Sql, locationId: string): Promise<Rule[]> {
  const [row] = await sql<{ erasures: string | null }[]>`
    update location_seq set epoch = epoch where location_id = ${locationId} returning erasures`
  return readRules(row?.erasures ?? null)
}

export function readRules(erasures: string | null): Rule[] {
  return erasures === null ? [] : (JSON.parse(erasures) as Rule[])
}

/** Adds a rule, which applies to everything that a till sends after this commit. Returns false if the location does not exist. */
export async function addRule(pool: Pool, locationId: string, rule: Rule, now: Date): Promise<boolean> {
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now })
    if (!head) return false
    const rules = readRules(head.erasures)
    const text = JSON.stringify(rule)
    const next = [...rules.filter((known) => JSON.stringify(known) !== text), rule]
    await tx`update location_seq set erasures = ${JSON.stringify(next)} where location_id = ${locationId}`
    return true
  })
}

async function findLastRedaction(sql: Sql, locationId: string): Promise<number | null> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from journal where location_id = ${locationId} and kind = 'redaction' order by seq desc limit 1`
  return row?.seq ?? null
}

/** Writes the blanked documents to the journal, replacing their salts, and to the row of the latest state. */
async function replace(sql: Sql, locationId: string, rows: readonly (Found & { salt: string })[]): Promise<void> {
  await Promise.all(
    rows.flatMap(({ seq, kind, id, document, salt }) => {
      const { table, columnsOf } = resourceOf(kind)
      return [
        sql`update journal set document = ${document}, salt = ${salt} where location_id = ${locationId} and seq = ${seq}`,
        sql`
          update ${sql(table.name)} set ${sql({ document, ...columnsOf?.(document) })}
          where ${sql(table.location)} = ${locationId} and ${sql(table.key)} = ${id} and seq = ${seq}`,
      ]
    }),
  )
}

/**
 * Blanks what the rule covers in these entries, in one transaction, and appends one entry of kind `redaction`: it has
 * the reason, and for each blanked entry the places and the commitment to the new content. The commitment and the hash
 * of a blanked entry stay; its salt is replaced, so the old content can no longer be proven, nor found by trial.
 */
export async function redactEntries(
  pool: Pool,
  locationId: string,
  seqs: readonly number[],
  { rule, reason, now }: { rule: Rule; reason: string; now: Date },
): Promise<Blanked[]> {
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now })
    if (!head) return []
    const entries = await tx<Found[]>`
      select seq, kind, id, document from journal
      where location_id = ${locationId} and seq = any(${seqs.map(String)}::text[]::bigint[]) order by seq`
    const salts = newSalts(entries.length)
    const blanked = entries.flatMap((entry, i) => {
      const result = redact({ ...entry, locationId }, [rule])
      return result ? [{ ...entry, ...result, salt: salts[i] as string }] : []
    })
    if (blanked.length === 0) return []
    await replace(tx, locationId, blanked)
    const document: Redaction = {
      reason,
      entries: blanked.map(({ seq, pointers, salt, document: text }) => ({
        sequence: seq,
        pointers,
        commitment: commitTo(salt, text),
      })),
    }
    const prevSeq = await findLastRedaction(tx, locationId)
    const change = { kind: 'redaction', id: locationId, prevSeq, types: [], document: JSON.stringify(document) }
    await appendChanges(tx, { locationId, head }, [change], acceptanceTime(head, now))
    return blanked.map(({ seq, kind, id, pointers }) => ({ sequence: seq, kind, id, pointers }))
  })
}

/** Reads the entries that a redaction names; none from an invalid document, which verify finds by its commitment. */
function readRedacted(document: string): Redaction['entries'] {
  try {
    return (JSON.parse(document) as Redaction).entries
  } catch {
    return []
  }
}

/** Maps the sequence of each blanked document to the commitment to its new content, by the latest redaction. */
export async function findRedacted(sql: Sql, locationId: string): Promise<Map<number, string>> {
  const rows = await sql<{ document: string }[]>`
    select document from journal where location_id = ${locationId} and kind = 'redaction' order by seq`
  const entries = rows.flatMap(({ document }) => readRedacted(document))
  return new Map(entries.map(({ sequence, commitment }) => [sequence, commitment]))
}
