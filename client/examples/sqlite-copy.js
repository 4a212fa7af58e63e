// Copies a location to SQLite and keeps the copy equal to the server. It can be killed at any time and started again.
//
//   TILLGATE_URL=http://127.0.0.1:4747 TILLGATE_KEY=tg_live_… node sqlite-copy.js copy.db [--follow]
//
// Node 22.13 or later, which has node:sqlite. The database has one table, documents(kind, id, sequence, document).
import { DatabaseSync } from 'node:sqlite'
import { Tillgate } from '@tillgate/client'

/** Returns the methods that `sync` needs, for one SQLite file. */
export function openCopy(path) {
  const db = new DatabaseSync(path)
  db.exec(`
    pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000;
    create table if not exists documents (
      kind text not null, id text not null, sequence integer not null, document text not null, primary key (kind, id)
    ) without rowid;
    create table if not exists position (only_row integer primary key check (only_row = 1), after integer, epoch text)`)
  const upsert = db.prepare(`
    insert into documents values (?, ?, ?, ?)
    on conflict do update set sequence = excluded.sequence, document = excluded.document`)
  const move = db.prepare('insert or replace into position values (1, ?, ?)')
  const write = (work) => {
    db.exec('begin immediate')
    try {
      work()
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }
  return {
    db,
    position: () => db.prepare('select after, epoch from position').get(),
    // Writes changes and position in one transaction, so that a kill cannot separate them.
    apply: (changes, { after, epoch }) =>
      write(() => {
        for (const { key, sequence, document } of changes) upsert.run(key.kind, key.id, sequence, document)
        move.run(after, epoch ?? null)
      }),
    count: () =>
      Object.fromEntries(
        db
          .prepare('select kind, count(*) as n from documents group by kind')
          .all()
          .map(({ kind, n }) => [kind, n]),
      ),
    clear: () => write(() => db.exec('delete from documents; delete from position')),
  }
}

const [path = 'copy.db', follow] = process.argv.slice(2)
const tillgate = new Tillgate({ url: process.env.TILLGATE_URL, key: process.env.TILLGATE_KEY })
const onApplied = ({ after }, changes) => console.log(`${changes} changes, up to ${after}`)
const result = await tillgate.sync(openCopy(path), { follow: follow === '--follow', onApplied })
console.log(JSON.stringify(result))
process.exitCode = result.isComplete ? 0 : 1
