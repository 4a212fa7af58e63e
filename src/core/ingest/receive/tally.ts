import type { IngestAnswer, RecordResult } from '../../schemas/ingest.ts'
import type { RecordOutcome } from '../write/decide.ts'
import { isRejection, type Incoming, type Rejection } from '../records.ts'

/** Every record is listed up to this number; beyond it only records that need the attention of the till. */
const listedAlways = 1_000

const listedAtMost = 10_000

/** Approximate limit of the characters of all listed details and faults; later ones are only counted. */
const textAtMost = 4 * 1024 * 1024

function textOf({ detail = '', errors = [], warnings = [] }: RecordResult): number {
  return [...errors, ...warnings].reduce(
    (sum, fault) => sum + fault.pointer.length + fault.detail.length + 60,
    detail.length,
  )
}

function toResult(record: Incoming | Rejection, outcome: RecordOutcome | undefined): RecordResult {
  if (isRejection(record)) {
    const { line, type, id, code, detail, errors } = record
    const known = { ...(type === undefined ? {} : { type }), ...(id === undefined ? {} : { id }) }
    return { line, status: 'rejected', ...known, code, detail, errors }
  }
  const { line, partial } = record
  const [type, id] = partial ? [partial.type, partial.key] : [record.type, record.id]
  const stored = outcome as RecordOutcome
  if (stored.status === 'rejected') {
    const { code, detail } = stored.fault
    return { line, status: 'rejected', type, id, code, detail, errors: [stored.fault] }
  }
  const { status, sequence } = stored
  const warned = record.warnings.length > 0 ? { warnings: record.warnings } : {}
  return { line, status, type, id, ...(sequence === undefined ? {} : { sequence }), ...warned }
}

/** Adds up the verdicts of one body into its answer, in bounded memory for bodies of any length. */
export class Tally {
  readonly #answer: IngestAnswer = {
    accepted: 0,
    unchanged: 0,
    stale: 0,
    rejected: 0,
    warned: 0,
    results: [],
    resultsOmitted: 0,
  }

  #text = 0

  get rejected(): number {
    return this.#answer.rejected
  }

  /** Records that are stored, now or before. */
  get usable(): number {
    const { accepted, unchanged, stale } = this.#answer
    return accepted + unchanged + stale
  }

  /** Adds records; `outcomes` has one outcome for each record that is not a rejection, in order. */
  add(records: readonly (Incoming | Rejection)[], outcomes: readonly RecordOutcome[]): void {
    const answer = this.#answer
    let next = 0
    for (const record of records) {
      const result = toResult(record, isRejection(record) ? undefined : outcomes[next++])
      answer[result.status] += 1
      if (result.warnings) answer.warned += 1
      const notable = result.status === 'rejected' || result.status === 'stale' || result.warnings !== undefined
      const listed = answer.results.length
      if (this.#text < textAtMost && (listed < listedAlways || (notable && listed < listedAtMost))) {
        answer.results.push(result)
        this.#text += textOf(result)
      } else answer.resultsOmitted += 1
    }
  }

  answer(stopped?: IngestAnswer['stopped']): IngestAnswer {
    return stopped ? { ...this.#answer, stopped } : this.#answer
  }
}
