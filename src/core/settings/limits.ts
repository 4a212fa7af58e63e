import { Type } from 'typebox'
import { setting } from './setting.ts'

const integer = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })

/** Limits of what one caller may use. docs/contract/limits.md also lists limits without a setting. */
export const limits = {
  unknownKeys: setting({
    group: 'Limits',
    env: 'TILLGATE_UNKNOWN_KEYS',
    flag: '--unknown-keys <n>',
    schema: integer(0, 100_000),
    default: 100,
    help: 'Database look-ups per second for unknown keys, counted in each process; 0 for no limit.',
  }),
  requestsPerKey: setting({
    group: 'Limits',
    env: 'TILLGATE_REQUESTS_PER_KEY',
    flag: '--requests-per-key <n>',
    schema: integer(0, 100_000),
    default: 100,
    help: 'Concurrent requests of one key, in each process; 0 for no limit.',
  }),
  requests: setting({
    group: 'Limits',
    env: 'TILLGATE_REQUESTS',
    flag: '--requests <n>',
    schema: integer(0, 100_000),
    default: 1_000,
    help: 'Concurrent requests of all keys, in each process; 0 for no limit.',
  }),
  streamsPerKey: setting({
    group: 'Limits',
    env: 'TILLGATE_STREAMS_PER_KEY',
    flag: '--streams-per-key <n>',
    schema: integer(0, 100_000),
    default: 20,
    help: 'Concurrent event streams and long polls of one key, in each process; 0 for no limit.',
  }),
  streams: setting({
    group: 'Limits',
    env: 'TILLGATE_STREAMS',
    flag: '--streams <n>',
    schema: integer(0, 100_000),
    default: 2_000,
    help: 'Concurrent event streams and long polls of all keys, in each process; 0 for no limit.',
  }),
  webhooksPerLocation: setting({
    group: 'Limits',
    env: 'TILLGATE_WEBHOOKS_PER_LOCATION',
    flag: '--webhooks-per-location <n>',
    schema: integer(0, 100_000),
    default: 100,
    help: 'Maximum webhooks per location; 0 for no limit.',
  }),
  webhookTests: setting({
    group: 'Limits',
    env: 'TILLGATE_WEBHOOK_TESTS',
    flag: '--webhook-tests <n>',
    schema: integer(0, 1_000),
    default: 10,
    help: 'Test operations per minute of one webhook, counted in each process; 0 for no limit.',
  }),
  pageBytes: setting({
    group: 'Limits',
    env: 'TILLGATE_PAGE_BYTES',
    flag: '--page-bytes <n>',
    schema: integer(65_536, 1_073_741_824),
    default: 8_388_608,
    help: 'Bytes after which a page of the event feed ends early.',
  }),
  signIns: setting({
    group: 'Limits',
    env: 'TILLGATE_SIGN_INS',
    flag: '--sign-ins <n>',
    schema: integer(0, 1_000),
    default: 10,
    help: 'Attempts per minute to sign in to the console from one address, counted in each process; 0 for no limit.',
  }),
  noticeDays: setting({
    group: 'Limits',
    env: 'TILLGATE_NOTICE_DAYS',
    flag: '--notice-days <n>',
    schema: integer(1, 36_500),
    default: 30,
    help: 'Days for which rejected records, and warnings to tills, are kept.',
  }),
  noticesKept: setting({
    group: 'Limits',
    env: 'TILLGATE_NOTICES_KEPT',
    flag: '--notices-kept <n>',
    schema: integer(1, 1_000_000),
    default: 1_000,
    help: 'Maximum rejected records and warnings kept per location; the oldest are deleted first.',
  }),
  accessDays: setting({
    group: 'Limits',
    env: 'TILLGATE_ACCESS_DAYS',
    flag: '--access-days <n>',
    schema: integer(0, 36_500),
    default: 400,
    help: 'Days for which the access log (who read what) is kept; 0 keeps it forever.',
  }),
} as const
