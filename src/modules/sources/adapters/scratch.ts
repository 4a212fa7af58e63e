import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'

/** A row of a table in a source, with its line number. `cells` has the columns of file `file`, in their order. */
export type KeptRow = { file: number; line: number; cells: string[] }

type Values = Record<string, SQLOutputValue>

/** SQLite cache size, in KiB. */
const cacheKib = 8 * 1024

const schema = `
create table row (tab text, key text, n integer, file integer, line integer, cells text, primary key (tab, key, n)) without rowid;
create table ticket (closing text, at text, key text);
create table record (n integer primary key, id text, at text, bytes blob);
begin`

function toRow({ file, line, cells }: Values): KeptRow {
  return { file: file as number, line: line as number, cells: JSON.parse(cells as string) as string[] }
}

/**
 * Data held until the documents are completely read: rows of a table that may be anywhere in a file, tickets of a
 * closing, records to be sorted. It is on disk, so that memory does not grow with the input: in an unnamed file of
 * SQLite that the system removes however the process ends (`SQLITE_TMPDIR`, else `TMPDIR`, else `/var/tmp`).
 */
export class Scratch {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #rows = 0
  #isSorted = false

  constructor() {
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
    this.#database = new Database('')
    this.#database.exec(
      `pragma cache_size = -${cacheKib}; pragma journal_mode = off; pragma synchronous = off; ${schema}`,
    )
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#database.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }

  addRow(table: string, key: string, { file, line, cells }: KeptRow): void {
    const sql = 'insert into row values (?, ?, ?, ?, ?, ?)'
    this.#prepared(sql).run(table, key, this.#rows++, file, line, JSON.stringify(cells))
  }

  /** Returns the rows of a key, in the order of arrival. */
  rowsOf(table: string, key: string): KeptRow[] {
    return this.#prepared('select file, line, cells from row where tab = ? and key = ? order by n')
      .all(table, key)
      .map(toRow)
  }

  /** Yields each key once, with its rows in the order of arrival. */
  *groups(table: string): Generator<[key: string, rows: KeptRow[]]> {
    let key: string | undefined
    let rows: KeptRow[] = []
    const sql = 'select key, file, line, cells from row where tab = ? order by key, n'
    for (const one of this.#database.prepare(sql).iterate(table)) {
      if (key !== undefined && one['key'] !== key) {
        yield [key, rows]
        rows = []
      }
      key = one['key'] as string
      rows.push(toRow(one))
    }
    if (key !== undefined) yield [key, rows]
  }

  /** Yields the keys of a table that another table lacks. */
  *keysWithout(table: string, other: string): Generator<string> {
    const sql = `select distinct key from row a where tab = ? and not exists (
      select 1 from row b where b.tab = ? and b.key = a.key) order by key`
    for (const { key } of this.#database.prepare(sql).iterate(table, other)) yield key as string
  }

  addTicket(closing: string, at: string, key: string): void {
    this.#prepared('insert into ticket values (?, ?, ?)').run(closing, at, key)
  }

  /** Returns the keys of the tickets of a closing, by time. Call this only after all tickets have been added. */
  ticketsOf(closing: string): string[] {
    this.#sort()
    return this.#prepared('select key from ticket where closing = ? order by at, key')
      .all(closing)
      .map(({ key }) => key as string)
  }

  addRecord(id: string, at: string, bytes: Buffer): void {
    this.#prepared('insert into record (id, at, bytes) values (?, ?, ?)').run(id, at, bytes)
  }

  /** Finds the record with an id. Call this only after all records have been added. */
  findRecord(id: string): Buffer | undefined {
    this.#sort()
    const found = this.#prepared('select bytes from record where id = ?').get(id)
    return found && Buffer.from(found['bytes'] as Uint8Array)
  }

  /** Yields records by time; records of the same time by id. */
  *records(): Generator<Buffer> {
    this.#sort()
    for (const { bytes } of this.#database.prepare('select bytes from record order by at, id').iterate()) {
      yield Buffer.from(bytes as Uint8Array)
    }
  }

  /** Makes the indexes, once: an index that grows with each row costs more than an index that is made at the end. */
  #sort(): void {
    if (this.#isSorted) return
    this.#isSorted = true
    this.#database.exec(`
      create index ticket_closing on ticket (closing, at, key);
      create index record_id on record (id);
      create index record_at on record (at, id)`)
  }

  close(): void {
    this.#database.close()
  }
}
