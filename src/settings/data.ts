import { Type } from 'typebox'
import { choice, setting } from './setting.ts'

const databaseAddress = Type.String({ pattern: String.raw`^postgres(ql)?://\S+$` })

/** Say where the data is. */
export const data = {
  dataDir: setting({
    group: 'Data',
    env: 'TILLGATE_DATA_DIR',
    flag: '--data-dir <path>',
    schema: Type.String({ minLength: 1, pattern: `^[^"'].*$` }),
    must: 'the path of a directory, without quotes (docker run --env-file keeps them)',
    default: './data',
    help: 'Directory of the embedded PostgreSQL; not used with DATABASE_URL.',
  }),
  pgBin: setting({
    group: 'Data',
    env: 'TILLGATE_PG_BIN',
    flag: '--pg-bin <dir>',
    schema: Type.String({ minLength: 1 }),
    must: 'the path of a directory',
    default: null,
    defaultText: 'the PostgreSQL that npm installed',
    example: '/usr/lib/postgresql/18/bin',
    help: 'Directory with initdb and postgres of a PostgreSQL 15 to 18 of this machine, for the embedded database.',
  }),
  databaseUrl: setting({
    group: 'Data',
    env: 'DATABASE_URL',
    flag: '--database-url <url>',
    schema: databaseAddress,
    must: 'a URL that begins with postgres://',
    default: null,
    defaultText: 'an embedded PostgreSQL',
    example: 'postgres://tillgate:secret@db.example:5432/tillgate',
    secret: true,
    help: 'PostgreSQL 15 to 18 to use instead of the embedded one. A command line is visible to others: the variable is the better place for a password.',
  }),
  databaseDirectUrl: setting({
    group: 'Data',
    env: 'TILLGATE_DATABASE_DIRECT_URL',
    flag: '--database-direct-url <url>',
    schema: databaseAddress,
    must: 'a URL that begins with postgres://',
    default: null,
    defaultText: 'none',
    example: 'postgres://tillgate:secret@db.example:5432/tillgate',
    secret: true,
    help: 'The same database without the pooler, or the coordinator of a Citus cluster: for migrations, verify, and hints between processes.',
  }),
  databasePooler: setting({
    group: 'Data',
    env: 'TILLGATE_DATABASE_POOLER',
    flag: '--database-pooler <off|transaction>',
    schema: choice(['off', 'transaction']),
    default: null,
    defaultText: 'detected at the start',
    example: 'transaction',
    help: 'Whether DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer.',
  }),
  dbConnections: setting({
    group: 'Data',
    env: 'TILLGATE_DB_CONNECTIONS',
    flag: '--db-connections <n>',
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    default: 10,
    help: 'Connections of the database pool of each process, at most; up to five come on top, for reads of documents, single pushes and hints. The embedded PostgreSQL has 40 for all processes.',
  }),
  dbPipelining: setting({
    group: 'Data',
    env: 'TILLGATE_DB_PIPELINING',
    flag: '--db-pipelining <on|off>',
    schema: Type.Boolean(),
    default: true,
    help: 'Send queries to the database before earlier ones are answered; off for poolers that do not support this.',
  }),
}
