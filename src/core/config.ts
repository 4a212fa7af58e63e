import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Format } from 'typebox/format'
import { parseAddressRange, toAddressRange, toText } from './domain/addresses/addresses.ts'
import { data } from './settings/data.ts'
import { resilience } from './settings/resilience.ts'
import { operatorNameModes } from './domain/redaction/operator-names.ts'
import { modules } from './modules.ts'
import { deliveries } from './settings/deliveries.ts'
import { limits } from './settings/limits.ts'
import { operations } from './settings/operations.ts'
import { parseSetting } from './settings/setting-text.ts'
import { tls } from './settings/tls.ts'
import { choice, setting, type Setting } from './settings/setting.ts'

Format.Set('address-range', (text) => parseAddressRange(text) !== null)

/** A URL with a user or password is refused, because it would appear in every link. */
Format.Set('base-url', (text) => {
  const url = /^https?:\/\/[^\s?#/@\\]+(\/[^\s?#]*)?$/.test(text) ? URL.parse(text) : null
  return url !== null && url.username + url.password === ''
})

/** Returns the value as JSON without the text before an `@`, which may be a user and password. */
const shownGiven = (given: unknown) => JSON.stringify(given).replaceAll(/[^\s"]*@/g, '***@')

const coreSettings = {
  ...data,
  ...resilience,
  operatorNames: setting({
    group: 'Data',
    env: 'TILLGATE_OPERATOR_NAMES',
    flag: '--operator-names <keep|initials|none>',
    schema: choice(operatorNameModes),
    default: 'keep' as const,
    help: 'How names of operators and clerks are stored: in full, as initials such as C. D., or not at all. Stored names are not changed.',
  }),
  host: setting({
    group: 'HTTP',
    env: 'TILLGATE_HOST',
    flag: '--host <address>',
    schema: Type.String({ pattern: String.raw`^[\w.:%-]+$` }),
    must: 'an address or a host name of this machine',
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 or :: for all. For any address other than 127.0.0.1, use a TLS proxy or --tls-cert.',
  }),
  port: setting({
    group: 'HTTP',
    env: 'TILLGATE_PORT',
    flag: '--port <n>',
    schema: Type.Integer({ minimum: 0, maximum: 65_535 }),
    default: 4747,
    help: 'Port to listen on; 0 picks a free one.',
  }),
  publicUrl: setting({
    group: 'HTTP',
    env: 'TILLGATE_PUBLIC_URL',
    flag: '--public-url <url>',
    schema: Type.String({ format: 'base-url' }),
    must: 'a URL that begins with https:// or http://, without user, password, ? and #',
    default: null,
    defaultText: 'the host of each request',
    example: 'https://pos.example',
    read: (url) => url.replace(/\/+$/, ''),
    help: 'Base URL of absolute links in responses.',
  }),
  trustProxy: setting({
    group: 'HTTP',
    env: 'TILLGATE_TRUST_PROXY',
    flag: '--trust-proxy <cidr...>',
    schema: Type.Array(Type.String({ format: 'address-range' })),
    must: 'the addresses or blocks of the proxies in front, such as 127.0.0.1 or 10.0.0.0/8',
    default: [],
    defaultText: 'none',
    example: '127.0.0.1,10.0.0.0/8',
    read: (blocks) => blocks.map(toAddressRange),
    write: toText,
    help: 'Proxies whose X-Forwarded-* headers are trusted; separate them with commas, or repeat the flag.',
  }),
  ...tls,
  docs: setting({
    group: 'HTTP',
    env: 'TILLGATE_DOCS',
    flag: '--docs <on|off>',
    schema: Type.Boolean(),
    default: true,
    help: 'Serve /docs and /openapi.json without a key.',
  }),
  console: setting({
    group: 'HTTP',
    env: 'TILLGATE_CONSOLE',
    flag: '--console <on|off>',
    schema: Type.Boolean(),
    default: true,
    help: 'Serve /console/, the web interface for restaurants, webhooks and the installation.',
  }),
  consoleInsecure: setting({
    group: 'HTTP',
    env: 'TILLGATE_CONSOLE_INSECURE',
    flag: '--console-insecure <on|off>',
    schema: Type.Boolean(),
    default: false,
    help: 'Let people on other machines sign in to the console over plain HTTP; anyone who can read the traffic can then take over their sessions.',
  }),
  rateLimit: setting({
    group: 'HTTP',
    env: 'TILLGATE_RATE_LIMIT',
    flag: '--rate-limit <n>',
    schema: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    default: 50,
    help: 'Requests per second for one key, counted in each process; 0 for no limit.',
  }),
  rateBurst: setting({
    group: 'HTTP',
    env: 'TILLGATE_RATE_BURST',
    flag: '--rate-burst <n>',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    help: 'Requests that a key may send in a burst before its rate limit applies.',
  }),
  role: setting({
    group: 'Processes',
    env: 'TILLGATE_ROLE',
    flag: '--role <role>',
    schema: choice(['all', 'api', 'delivery']),
    default: 'all' as const,
    help: 'What this process does: serve the API, deliver webhooks, or both.',
  }),
  modules: setting({
    group: 'Processes',
    env: 'TILLGATE_MODULES',
    flag: '--modules <names>',
    schema: Type.String({ pattern: String.raw`^[\w-]+(\s*,\s*[\w-]+)*$` }),
    must: 'names of modules separated by commas, or none',
    default: null,
    defaultText: 'all',
    example: 'figures,warnings,console',
    help: 'Modules that are on, separated by commas; none for the core alone. Use the same value for every process and command of an installation.',
  }),
  processes: setting({
    group: 'Processes',
    env: 'TILLGATE_PROCESSES',
    flag: '--processes <n>',
    schema: Type.Integer({ minimum: 1, maximum: 40 }),
    default: 1,
    help: 'Processes that share the port, to use more cores.',
  }),
  allowHttp: setting({
    group: 'Webhooks',
    env: 'TILLGATE_ALLOW_HTTP',
    flag: '--allow-http',
    schema: Type.Boolean(),
    default: false,
    help: 'Deliver to http:// endpoints too.',
  }),
  allowAddress: setting({
    group: 'Webhooks',
    env: 'TILLGATE_ALLOW_ADDRESS',
    flag: '--allow-address <cidr...>',
    schema: Type.Array(Type.String({ format: 'address-range' })),
    must: 'addresses or blocks such as 10.0.0.0/8',
    default: [],
    defaultText: 'public addresses only',
    example: '10.1.0.0/16,192.168.7.20',
    read: (blocks) => blocks.map(toAddressRange),
    write: toText,
    help: 'Addresses or blocks that webhooks may call although they are not public; separate them with commas, or repeat the flag.',
  }),
  ...deliveries,
  ...operations,
  ...limits,
} as const

export type { Setting }

type Value<S> = S extends Setting<any, infer Default, infer Read> ? Read | (null extends Default ? null : never) : never

/** The values of settings as the program uses them, under the names of the settings. */
export type ConfigOf<Settings> = { [Name in keyof Settings]: Value<Settings[Name]> }

/** Settings of modules. */
// oxlint-disable-next-line typescript/no-empty-object-type -- modules add to it
export interface ModuleConfig {}

export type Config = ConfigOf<typeof coreSettings> & ModuleConfig

export type SettingName = keyof Config

/** Every setting of Tillgate. Help texts, `.env.example` and checks are made from it. */
export const settings = Object.assign(
  {},
  coreSettings,
  ...modules().map((module) => module.settings),
) as typeof coreSettings & {
  [Name in keyof ModuleConfig]: Setting
}

export const settingNames = Object.keys(settings) as SettingName[]

/** Lists all faults of the settings, one sentence each; `message` has them all. */
export class ConfigInvalid extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(faults.join('; '))
    this.faults = faults
  }
}

type Shape = { type: string; minimum?: number; maximum?: number; enum?: string[] }

/** Describes the allowed values in words: `a whole number from 0 to 65535`. */
export function requirement({ schema, must }: Setting): string {
  const { type, minimum, maximum, enum: values } = schema as unknown as Shape
  if (must !== undefined) return must
  if (values) return `one of ${values.join(', ')}`
  if (type === 'boolean') return 'on or off'
  return `a ${type === 'integer' ? 'whole number' : 'number'} from ${minimum} to ${maximum}`
}

type FlagValues = Readonly<Record<string, unknown>>
type Environment = Readonly<Record<string, string | undefined>>

const flagName = (setting: Setting) => setting.flag.split(' ', 1)[0] as string

/**
 * Reads the named settings: a flag takes precedence over its variable, the variable over the default. An empty variable
 * counts as not set. Throws `ConfigInvalid` with all faults at once.
 */
export function readConfig<Name extends SettingName>(
  names: readonly Name[],
  flags: FlagValues,
  env: Environment,
): Pick<Config, Name> {
  const faults: string[] = []
  const values = names.map((name) => {
    const setting: Setting = settings[name]
    const flag = flags[name] as string | boolean | string[] | undefined
    const variable = env[setting.env] === '' ? undefined : env[setting.env]
    const given = flag ?? variable
    const read = setting.read ?? ((checked: unknown) => checked)
    if (given === undefined) return [name, setting.default === null ? null : read(setting.default)]
    const value = parseSetting((setting.schema as unknown as Shape).type, given)
    if (value !== undefined && Compile(setting.schema).Check(value)) return [name, read(value)]
    const source = flag === undefined ? setting.env : flagName(setting)
    const shown = setting.secret ? '' : `, not ${shownGiven(given)}`
    // A Kubernetes service named tillgate sets TILLGATE_PORT=tcp://10.0.0.1:4747 in every pod.
    const linked = typeof given === 'string' && given.startsWith('tcp://')
    const hint = linked ? ' (set by Kubernetes for a service named tillgate: use enableServiceLinks: false)' : ''
    faults.push(`${source} must be ${requirement(setting)}${shown}${hint}`)
    return [name, setting.default]
  })
  if (faults.length > 0) throw new ConfigInvalid(faults)
  return Object.fromEntries(values) as Pick<Config, Name>
}

/** Settings to find the database, for every command that works on data. */
export const databaseSettings = [
  'dataDir',
  'pgBin',
  'databaseUrl',
  'databaseDirectUrl',
  'headsDir',
  'databasePooler',
  'dbConnections',
  'dbPipelining',
] as const

/** Formats the default as text; empty if there is none. */
export function writtenDefault({ default: value }: Setting): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : [value ?? []].flat().join(',')
}

/** Makes the help text of a setting's option: `Port to listen on; 0 picks a free one. (4747; TILLGATE_PORT)`. */
export function settingHelp(name: SettingName): string {
  const setting: Setting = settings[name]
  return `${setting.help} (${setting.defaultText ?? writtenDefault(setting)}; ${setting.env})`
}
