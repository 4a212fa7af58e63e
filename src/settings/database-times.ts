import { Type } from 'typebox'
import { setting } from './setting.ts'

/** How long serve waits for a database that is away or does not answer (decision 0029). */
export const databaseTimes = {
  dbTimeout: setting({
    group: 'Data',
    env: 'TILLGATE_DB_TIMEOUT',
    flag: '--db-timeout <seconds>',
    schema: Type.Number({ minimum: 0.1, maximum: 600 }),
    default: 10,
    help: 'Seconds that serve waits for an answer of the database before a request is answered 503.',
  }),
  dbWait: setting({
    group: 'Data',
    env: 'TILLGATE_DB_WAIT',
    flag: '--db-wait <seconds>',
    schema: Type.Number({ minimum: 0, maximum: 3600 }),
    default: 30,
    help: 'Seconds that serve waits at its start for a database that is away or recovers; 0 to fail at once.',
  }),
} as const
