import type { Fault } from './errors/errors.ts'
import type { EventType, RecordType } from './resources.ts'
import type { MoneyRules } from './money/paid.ts'
import type { DocumentText } from '../domain/documents/document-text.ts'
import type { Sql } from '../store/db/database.ts'

/** What every stored version has. `seq` is its journal number, 0 for a location that was only just made. */
export type StoredRow = { id: string; seq: number; document: DocumentText }

/** A version that was accepted. Resources without times of their own have the moment of acceptance in both. */
export type Version = StoredRow & { createdAt: string; updatedAt: string }

/** What the row of a version is made from, beside the version. `before` is undefined for the first one. */
export type Change<Row, Facts> = { facts: Facts; types: readonly EventType[]; before: Row | undefined }

/**
 * Describes one kind of resource: all that ingest, verify, export, backup and restore must know of it. They walk the
 * list of descriptors in `all.ts` and name no resource themselves.
 */
export type Resource<Row extends StoredRow = any, Data = any, Facts = any> = {
  type: RecordType
  /** How an export counts it: `catalogLists` is read as “catalog lists”. */
  plural: string
  /** Table of the latest versions: `key` is the identifying column, `location` the column of the location. */
  table: { name: string; key: string; location: 'location_id' | 'id' }
  /** The resource has times of the till that order its versions; otherwise the latest arrival wins. */
  dated: boolean
  /** Left out, each version is an entry of the journal; false keeps only the latest state. */
  journaled?: false
  /** Returns whether a version is, by its own fields, older than the one before. */
  isStale?(facts: Facts, before: Row): boolean
  /** The field of a record that must name the location of the key; null where the record has none. */
  locationField: 'locationId' | 'id' | null
  /** Faults of data whose shape is right; left out, those of the location that it names. */
  faults?(data: Data, now: Date): Fault[]
  /** Returns the id in lower case; the location's own for what a location has one of. */
  idOf(data: Data, locationId: string): string
  /** Picks what the row and the events of the resource depend on, by the money rules of its location; it is kept until the record is applied. */
  facts(data: Data, rules?: MoneyRules): Facts
  /** Completes a document from the version before it, where a push may leave something as it is. */
  complete?(document: string, before: Row | undefined): string
  /**
   * Reads the entries of a document that is or contains a list, and writes the document with other entries; `before`
   * is the stored document.
   */
  entries?: {
    read(before: string | undefined): string[]
    write(entries: readonly string[], before: string | undefined): string
  }
  /** Returns the events of a new version, in the order in which they are sent. */
  events(facts: Facts, before: Row | undefined): EventType[]
  row(version: Version, change: Change<Row, Facts>): Row
  /** Columns that follow from a document which a redaction changed, by their names in the table. */
  columnsOf?(document: string): Record<string, string>
  /** Members of a row that follow from the versions before as well, so that its document alone does not prove them. */
  inherited?: readonly string[]
  /** Finds stored versions by id. The caller holds the head's lock, so they are the latest. */
  find(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, Row>>
  /** Writes rows that the caller decided on, no id twice. */
  upsert(sql: Sql, locationId: string, rows: readonly Row[]): Promise<void>
  /** A second key of a resource: a version with the key of another resource is refused. */
  secondKey?: {
    /** Null for none. */
    of(facts: Facts): string | null
    /** Ids by key. The caller holds the head's lock. */
    find(sql: Sql, locationId: string, keys: readonly string[]): Promise<Map<string, string>>
  }
  /** Takes second keys that others have off rows which are restored, so that what was stored once is stored again. */
  yield?(sql: Sql, locationId: string, rows: readonly Row[]): Promise<void>
  /** Yields the latest documents in the order of an export, some at a time. */
  walk(sql: Sql, locationId: string): AsyncIterable<readonly (Buffer | string)[]>
  /** Where the resource is counted by the day of its creation; null where it is not. */
  counts: {
    /** Returns what a row is counted as, and when it was created. */
    of(row: Row): { kind: string; createdAt: string }
    /** The same kind as SQL over a stored row. */
    kindSql: string
  } | null
}
