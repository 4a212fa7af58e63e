import { Type, type Static } from 'typebox'
import { LocationSettings } from '../../../core/contract/location/schema.ts'
import { CursorPageOf } from '../../../core/contract/paging/schema.ts'
import { Choice, closed, Datetime, Nullable, NullableChoice, Uuid } from '../../../core/contract/scalars.ts'
import type { Scope } from '../../../core/schemas/scopes.ts'

const sessionKinds = ['operator', 'key', 'link'] as const

export type SessionKind = (typeof sessionKinds)[number]

/** The scopes that a session can have; tills push with a key. */
export const sessionScopes = ['read', 'webhooks', 'books', 'admin'] as const satisfies readonly Scope[]

export type SessionScope = (typeof sessionScopes)[number]

const linkScopes = ['read', 'webhooks', 'books'] as const satisfies readonly Scope[]

/** Scopes of each role; an operator of all locations also has `admin`. */
export const roleScopes = {
  owner: ['read'],
  accountant: ['read', 'books'],
  integrator: ['read', 'webhooks'],
  operator: ['read', 'webhooks'],
} as const satisfies Record<string, readonly SessionScope[]>

export type Role = keyof typeof roleScopes

export const roles = Object.keys(roleScopes) as Role[]

/** Lifetimes of codes and sessions, in seconds. */
export const sessionTimes = {
  operator: { codeS: 600, lastsS: 7 * 86_400, idleS: 12 * 3_600, renewS: 0 },
  key: { codeS: 0, lastsS: 86_400, idleS: null, renewS: 0 },
  /** For links of `tillgate console link`. */
  owner: { codeS: 7 * 86_400, lastsS: 30 * 86_400, idleS: null, renewS: 365 * 86_400 },
  /** For links of `POST /v1/console/links`. */
  link: { codeS: 900, lastsS: 86_400, idleS: null, renewS: 0 },
} as const

/** Longest time, in seconds, for which a link can be used to sign in again. */
export const longestRenewS = 365 * 86_400

const kind = Choice(sessionKinds, {
  description: '`operator`: from `tillgate console`. `key`: signed in with a key. `link`: signed in with a link.',
})

/** The body of `POST /console/api/session`. */
export const SignIn = Type.Object(
  { code: Type.Optional(Type.String({ maxLength: 200 })), key: Type.Optional(Type.String({ maxLength: 200 })) },
  { ...closed, title: 'SignIn', description: 'Exactly one of `code` and `key`.' },
)

const LocationChoice = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    city: Type.String(),
    ...LocationSettings.properties,
    deactivatedAt: Nullable(Datetime()),
  },
  closed,
)

/** The signed-in session, for the page of the console. */
export const Session = Type.Object(
  {
    id: Uuid(),
    kind,
    name: Type.String(),
    role: NullableChoice(roles),
    scopes: Type.Array(Choice(sessionScopes)),
    recipientId: Nullable(Uuid()),
    allLocations: Type.Boolean(),
    locations: Type.Array(LocationChoice, {
      description: 'All locations of the session; for an operator, the first 50.',
    }),
    createdAt: Datetime(),
    expiresAt: Datetime(),
    idleUntil: Nullable(Datetime()),
    renewableUntil: Nullable(Datetime(), {
      description: 'Time until which it can be renewed, or resumed with a passkey; null if that is not allowed.',
    }),
    returnUrl: Nullable(Type.String()),
    server: Type.Object(
      {
        version: Type.String(),
        docs: Type.Boolean(),
        baseUrl: Type.String(),
        operations: Type.Array(Type.String(), {
          description: 'Paths of the operations of this server, without those of modules that are off.',
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'Session' },
)

const maxReturnUrl = 2_048

/**
 * The answer to a sign-in: the session, and, only here, the secret that the page sends as `Tillgate-Page` beside the
 * cookie.
 */
export const SignedIn = Type.Object(
  { ...Session.properties, pageSecret: Type.String() },
  { ...closed, title: 'SignedIn' },
)

export const ConsoleLinkInput = Type.Object(
  {
    scopes: Type.Optional(
      Type.Array(Choice(linkScopes), {
        minItems: 1,
        maxItems: 2,
        description: 'Scopes of the session, a subset of those of the key; `read` by default.',
      }),
    ),
    role: Type.Optional(Choice(roles, { description: 'A role in place of scopes; `operator` means integrator here.' })),
    name: Type.Optional(Type.String({ maxLength: 200, description: 'Name of the person, shown in lists.' })),
    returnUrl: Type.Optional(
      Type.String({
        maxLength: maxReturnUrl,
        description: 'Absolute https URL that the console opens when the session ends.',
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 604_800,
        default: 900,
        description: 'Seconds for which the link is valid.',
      }),
    ),
    sessionSeconds: Type.Optional(
      Type.Integer({
        minimum: 300,
        maximum: 2_592_000,
        default: 86_400,
        description: 'Duration of the session in seconds.',
      }),
    ),
    locationIds: Type.Optional(
      Type.Array(Uuid(), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Locations of the session; by default the location of the creator.',
      }),
    ),
    renewSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestRenewS,
        default: 0,
        description:
          'For this many seconds after its first use, the session can be renewed, each time for `sessionSeconds`, and ' +
          'resumed with a passkey. 0 allows neither. The session ends when the key ends.',
      }),
    ),
  },
  { ...closed, title: 'ConsoleLinkInput' },
)

export const ConsoleLink = Type.Object(
  {
    id: Uuid({ description: 'Id of the session; it is not secret.' }),
    url: Type.String({
      format: 'uri',
      description: 'Opens the console once. It is shown only once; treat it like a password.',
    }),
    expiresAt: Datetime({ description: 'Expiry of the link.' }),
    scopes: Type.Array(Choice(sessionScopes)),
    locationId: Uuid({ description: 'First element of `locationIds`.' }),
    locationIds: Type.Array(Uuid()),
  },
  { ...closed, title: 'ConsoleLink' },
)

export const ConsoleSession = Type.Object(
  {
    id: Uuid(),
    kind,
    role: NullableChoice(roles),
    name: Type.String(),
    scopes: Type.Array(Choice(sessionScopes)),
    locationIds: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: Uuid(),
      description: 'Locations of the session; null for all.',
    }),
    recipientId: Nullable(Uuid()),
    madeBy: Type.String({ description: 'Id of the key, session or passkey that created it, or `cli`.' }),
    keyId: Nullable(Uuid(), { description: 'Id of the API key whose end also ends it; null if it depends on no key.' }),
    createdAt: Datetime(),
    redeemedAt: Nullable(Datetime(), { description: 'When the link was used; null if unused.' }),
    lastSeenAt: Nullable(Datetime(), { description: 'Time of the last use, updated at most every five minutes.' }),
    expiresAt: Datetime({ description: 'Expiry of the link, or of the session once the link was used.' }),
    renewableUntil: Nullable(Datetime(), {
      description: 'Time until which it can be renewed, or resumed with a passkey.',
    }),
    endedAt: Nullable(Datetime(), { description: 'When it was ended manually.' }),
    userAgent: Nullable(Type.String(), { description: '`User-Agent` of the browser; null if unknown.' }),
    address: Nullable(Type.String(), {
      description:
        'IP address that opened it; of the client if a trusted proxy reports it. Null while the link is unused, ' +
        'and if the address is unknown.',
    }),
    isOwn: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  { ...closed, title: 'ConsoleSession' },
)

export const ConsoleSessionPage = CursorPageOf(ConsoleSession, 'ConsoleSessionPage')

/** The answer of a browser with a passkey; its parts are checked when it is verified. */
export const PasskeyAnswer = Type.Object(
  {
    id: Type.String({ maxLength: 2_048 }),
    rawId: Type.String({ maxLength: 2_048 }),
    type: Type.Literal('public-key'),
    response: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'PasskeyAnswer', description: 'In the JSON format of WebAuthn.' },
)

/** The body of `POST /console/api/passkeys`. */
export const PasskeyInput = Type.Object(
  { label: Type.String({ minLength: 1, maxLength: 100 }), answer: PasskeyAnswer },
  { ...closed, title: 'PasskeyInput' },
)

export const Passkey = Type.Object(
  {
    id: Uuid(),
    label: Type.String({ description: 'Name given by its owner.' }),
    name: Type.String({ description: 'Name of the user, as in the link of the passkey.' }),
    role: NullableChoice(roles),
    scopes: Type.Array(Choice(sessionScopes)),
    locationIds: Type.Array(Uuid()),
    linkId: Uuid({ description: 'Id of the link of the passkey.' }),
    keyId: Nullable(Uuid(), { description: 'Id of the API key whose end also ends it; null if it depends on no key.' }),
    origin: Type.String({ description: 'Origin on which it signs in.', examples: ['https://tills.example'] }),
    isSynced: Type.Boolean({ description: 'Whether it is synced to the other devices of the person.' }),
    createdAt: Datetime(),
    lastUsedAt: Nullable(Datetime(), {
      description: 'Time of the last sign-in with the passkey; null before the first.',
    }),
    expiresAt: Datetime({ description: 'Expiry of the passkey.' }),
    isOwn: Type.Boolean({ description: 'Whether it opened the session of this request.' }),
  },
  { ...closed, title: 'Passkey' },
)

export const PasskeyPage = CursorPageOf(Passkey, 'PasskeyPage')

export type Passkey = Static<typeof Passkey>
export type PasskeyAnswer = Static<typeof PasskeyAnswer>
export type PasskeyInput = Static<typeof PasskeyInput>
export type Session = Static<typeof Session>
export type ConsoleLinkInput = Static<typeof ConsoleLinkInput>
export type ConsoleSession = Static<typeof ConsoleSession>
