import type { Fault } from './errors/errors.ts'
import type { EventType, RecordType } from './resources.ts'
import type { MoneyRules } from './money/paid.ts'
import type { DocumentText } from '../domain/documents/document-text.ts'
import type { Sql } from '../store/db/database.ts'

/** The members of every stored version. `seq` is its journal sequence, 0 for a location that was just created. */
export type StoredRow = { id: string; seq: number; document: DocumentText }

/** An accepted version. For resources without times of their own, both times are the moment of acceptance. */
export type Version = StoredRow & { createdAt: string; updatedAt: string }

/** The input of a row in addition to the version. `before` is the previous row, undefined for the first version. */
export type Change<Row, Facts> = { facts: Facts; types: readonly EventType[]; before: Row | undefined }

/**
 * Describes one kind of resource. Ingest, verify, export, backup and restore iterate over the descriptors in
 * `all-resources.ts` and name no resource themselves.
 */
export type Resource<Row extends StoredRow = any, Data = any, Facts = any> = {
  type: RecordType
  /** The plural name, for counts in an export: `catalogLists` is shown as “catalog lists”. */
  plural: string
  /** Table of the latest versions: `key` is the identifying column, `location` the column of the location. */
  table: { name: string; key: string; location: 'location_id' | 'id' }
  /** Whether the times that the till writes order the versions; otherwise the latest arrival wins. */
  dated: boolean
  /** By default each version is a journal entry; false stores only the latest state. */
  journaled?: false
  /** Returns whether the fields of a version show that it is older than the stored one. */
  isStale?(facts: Facts, before: Row): boolean
  /** The field of a record that must name the location of the key; null if the record has no such field. */
  locationField: 'locationId' | 'id' | null
  /** Returns the faults of data with a valid shape. The default checks the location that the data names. */
  faults?(data: Data, now: Date): Fault[]
  /** Returns the id in lower case; the location's id for a resource that exists once per location. */
  idOf(data: Data, locationId: string): string
  /** Returns the facts that the row and the events depend on. They stay in memory until the record is applied. */
  facts(data: Data, rules?: MoneyRules): Facts
  /** Completes a document from the version before it, if a push may leave out unchanged parts. */
  complete?(document: string, before: Row | undefined): string
  /**
   * Reads the entries of a document that is or contains a list, and writes the document with other entries; `before`
   * is the stored document.
   */
  entries?: {
    read(before: string | undefined): string[]
    write(entries: readonly string[], before: string | undefined): string
  }
  /** Returns the events of a new version, in the order of sending. */
  events(facts: Facts, before: Row | undefined): EventType[]
  row(version: Version, change: Change<Row, Facts>): Row
  /** Returns the columns to update after a redaction changed the document, by name. */
  columnsOf?(document: string): Record<string, string>
  /** Members of a row that also depend on earlier versions, so they cannot be verified with its document alone. */
  inherited?: readonly string[]
  /** Finds the latest stored versions by id. The caller holds the lock of the journal head. */
  find(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, Row>>
  /** Writes rows with distinct ids. The caller has decided that these versions win. */
  upsert(sql: Sql, locationId: string, rows: readonly Row[]): Promise<void>
  /** A second key of a resource: a version with the key of another resource is refused. */
  secondKey?: {
    /** Returns the second key; null if there is none. */
    of(facts: Facts): string | null
    /** Finds ids by second key. The caller holds the lock of the journal head. */
    find(sql: Sql, locationId: string, keys: readonly string[]): Promise<Map<string, string>>
    /** Frees the keys of stored rows that are about to be written with other keys. */
    release(sql: Sql, locationId: string, ids: readonly string[]): Promise<void>
  }
  /** Removes second keys held by other resources from restored rows, so that each row can be stored again. */
  yield?(sql: Sql, locationId: string, rows: readonly Row[]): Promise<void>
  /** Yields the latest documents in the order of an export, in batches. */
  walk(sql: Sql, locationId: string): AsyncIterable<readonly (Buffer | string)[]>
  /** How the resource is counted by the day of its creation; null if it is not counted. */
  counts: {
    /** Returns the kind under which a row is counted, and its creation time. */
    of(row: Row): { kind: string; createdAt: string }
    /** The kind as SQL over a stored row. */
    kindSql: string
  } | null
}
