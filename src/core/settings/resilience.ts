import { Type } from 'typebox'
import { setting } from './setting.ts'

/** How serve handles an unavailable database (docs/inside/04-database.md), and its read replica (decision 0030). */
export const resilience = {
  databaseReadUrl: setting({
    group: 'Data',
    env: 'DATABASE_READ_URL',
    flag: '--database-read-url <url>',
    schema: Type.String({ pattern: String.raw`^postgres(ql)?://\S+$` }),
    must: 'a URL that begins with postgres://',
    default: null,
    defaultText: 'none: the database itself',
    example: 'postgres://tillgate:secret@replica.example:5432/tillgate',
    secret: true,
    help: 'A streaming replica of the database that answers reads of orders, reports, catalog and location.',
  }),
  dbTimeout: setting({
    group: 'Data',
    env: 'TILLGATE_DB_TIMEOUT',
    flag: '--db-timeout <seconds>',
    schema: Type.Number({ minimum: 0.1, maximum: 600 }),
    default: 10,
    help: 'Seconds to wait for the database before a request is answered with 503.',
  }),
  dbWait: setting({
    group: 'Data',
    env: 'TILLGATE_DB_WAIT',
    flag: '--db-wait <seconds>',
    schema: Type.Number({ minimum: 0, maximum: 3600 }),
    default: 30,
    help: 'Seconds that serve waits at startup for an unreachable or recovering database; 0 to fail immediately.',
  }),
} as const
