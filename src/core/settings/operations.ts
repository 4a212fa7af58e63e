import { Type } from 'typebox'
import { Format } from 'typebox/format'
import { choice, setting } from './setting.ts'

/** Where to listen; port 0 picks a free one. */
export type OperationsAddress = { host: string; port: number }

/** The default address; if another `serve` has it, a free port of the same host. */
export const usualOperationsAddress = { host: '127.0.0.1', port: 4748 }

/** Reads `127.0.0.1:4748`, `[::1]:4748` or `localhost:0`; null for anything else. */
function parseListenAddress(text: string): OperationsAddress | null {
  const [, literal, name, port] = /^(?:\[([\w:.%]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? []
  const host = literal ?? name
  return host === undefined || Number(port) > 65_535 ? null : { host, port: Number(port) }
}

const writeListenAddress = (at: OperationsAddress | 'off') =>
  at === 'off' ? at : `${at.host.includes(':') ? `[${at.host}]` : at.host}:${at.port}`

Format.Set('operations-address', (text) => text === 'off' || parseListenAddress(text) !== null)

/** Monitoring and shutdown of a server. */
export const operations = {
  operationsAddress: setting({
    group: 'Operations',
    env: 'TILLGATE_OPERATIONS_ADDRESS',
    flag: '--operations-address <address>',
    schema: Type.String({ format: 'operations-address' }),
    must: 'an address and a port such as 127.0.0.1:4748 or [::1]:4748, or off',
    default: null,
    defaultText: '127.0.0.1:4748, or a free port if that is in use',
    example: '127.0.0.1:4748',
    read: (text) => parseListenAddress(text) ?? ('off' as const),
    write: writeListenAddress,
    help: 'Address that serves /livez, /readyz and /metrics of all processes, without a key, in every role. Port 0 picks a free port; off disables it.',
  }),
  operations: setting({
    group: 'Operations',
    env: 'TILLGATE_OPERATIONS',
    flag: '--operations <on|off>',
    schema: Type.Boolean(),
    default: true,
    help: 'Also serve /livez, /readyz and /metrics on the public port, without a key.',
  }),
  drainSeconds: setting({
    group: 'Operations',
    env: 'TILLGATE_DRAIN_SECONDS',
    flag: '--drain-seconds <n>',
    schema: Type.Number({ minimum: 0, maximum: 600 }),
    default: 0,
    help: 'Seconds for which serve keeps serving after SIGTERM while /readyz returns 503, so that load balancers notice.',
  }),
  diskReserve: setting({
    group: 'Operations',
    env: 'TILLGATE_DISK_RESERVE',
    flag: '--disk-reserve <mebibytes>',
    schema: Type.Integer({ minimum: 0, maximum: 1_048_576 }),
    default: 1_024,
    help: 'Free disk space of the embedded database below which pushes are refused with 503 disk_low; reads and deliveries continue. 0 never refuses.',
  }),
  logLevel: setting({
    group: 'Operations',
    env: 'TILLGATE_LOG_LEVEL',
    flag: '--log-level <level>',
    schema: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: null,
    defaultText: 'info; warn on a terminal',
    example: 'info',
    help: 'Minimum log level; logs are JSON lines on stderr.',
  }),
} as const
