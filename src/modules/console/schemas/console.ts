import { Type, type Static } from 'typebox'
import { LocationSettings } from '../../../core/contract/location/schema.ts'
import { CursorPageOf } from '../../../core/contract/paging/schema.ts'
import { Choice, closed, Datetime, Nullable, NullableChoice, Uuid } from '../../../core/contract/scalars.ts'
import type { Scope } from '../../../core/schemas/scopes.ts'

const sessionKinds = ['operator', 'key', 'link'] as const

export type SessionKind = (typeof sessionKinds)[number]

/** A session may do this at most: tills push with a key. */
export const sessionScopes = ['read', 'webhooks', 'books', 'admin'] as const satisfies readonly Scope[]

export type SessionScope = (typeof sessionScopes)[number]

const linkScopes = ['read', 'webhooks', 'books'] as const satisfies readonly Scope[]

/** Says what each role may do; an operator of all locations has `admin` besides. */
export const roleScopes = {
  owner: ['read'],
  accountant: ['read', 'books'],
  integrator: ['read', 'webhooks'],
  operator: ['read', 'webhooks'],
} as const satisfies Record<string, readonly SessionScope[]>

export type Role = keyof typeof roleScopes

export const roles = Object.keys(roleScopes) as Role[]

/** Says how long codes and sessions last, in seconds. */
export const sessionTimes = {
  operator: { codeS: 600, lastsS: 7 * 86_400, idleS: 12 * 3_600, renewS: 0 },
  key: { codeS: 0, lastsS: 86_400, idleS: null, renewS: 0 },
  /** Of `tillgate console link`. */
  owner: { codeS: 7 * 86_400, lastsS: 30 * 86_400, idleS: null, renewS: 365 * 86_400 },
  /** Of `POST /v1/console/links`. */
  link: { codeS: 900, lastsS: 86_400, idleS: null, renewS: 0 },
} as const

/** Nobody comes back to a link for longer than this, in seconds. */
export const longestRenewS = 365 * 86_400

const kind = Choice(sessionKinds, {
  description:
    '`operator` from `tillgate console`, `key` where a key was given, `link` from a link that somebody made.',
})

/** The body of `POST /console/api/session`. */
export const SignIn = Type.Object(
  { code: Type.Optional(Type.String({ maxLength: 200 })), key: Type.Optional(Type.String({ maxLength: 200 })) },
  { ...closed, title: 'SignIn', description: 'Exactly one of the two.' },
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

/** Tells the page of the console who is signed in. */
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
      description: 'All of them; of an operator of the installation the first 50.',
    }),
    createdAt: Datetime(),
    expiresAt: Datetime(),
    idleUntil: Nullable(Datetime()),
    renewableUntil: Nullable(Datetime(), {
      description: 'Until then it may be renewed, and passkeys open others; null where neither is allowed.',
    }),
    returnUrl: Nullable(Type.String()),
    server: Type.Object(
      {
        version: Type.String(),
        docs: Type.Boolean(),
        baseUrl: Type.String(),
        operations: Type.Array(Type.String(), {
          description:
            'Paths of the operations that this server has: those of a module that is off are not among them.',
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'Session' },
)

const maxReturnUrl = 2_048

/** Answers a sign-in: the session, and once the secret that its page sends as `Tillgate-Page` beside the cookie. */
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
        description: 'What the session may do; no more than the key may. Without it and `role`: `read`.',
      }),
    ),
    role: Type.Optional(Choice(roles, { description: 'Stands for its scopes; `operator` is an integrator here.' })),
    name: Type.Optional(
      Type.String({ maxLength: 200, description: 'Name of the person whom it is for, to recognise it in a list.' }),
    ),
    returnUrl: Type.Optional(
      Type.String({
        maxLength: maxReturnUrl,
        description: 'Absolute https URL to which the console leads when the session ends.',
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 604_800,
        default: 900,
        description: 'Seconds in which the link works, once.',
      }),
    ),
    sessionSeconds: Type.Optional(
      Type.Integer({
        minimum: 300,
        maximum: 2_592_000,
        default: 86_400,
        description: 'Seconds that its session lasts.',
      }),
    ),
    locationIds: Type.Optional(
      Type.Array(Uuid(), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Locations that the link opens; left out, the one that its maker is at.',
      }),
    ),
    renewSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestRenewS,
        default: 0,
        description:
          'So many seconds after its use the person may renew the session, each time for as long as it lasts, and sign in again with a ' +
          'passkey; 0 for not at all. It ends with the key in any case.',
      }),
    ),
  },
  { ...closed, title: 'ConsoleLinkInput' },
)

export const ConsoleLink = Type.Object(
  {
    id: Uuid({ description: 'Id of the session that comes of it; may be logged.' }),
    url: Type.String({
      format: 'uri',
      description: 'Opens the console once. It is shown once, and is as good as a password.',
    }),
    expiresAt: Datetime({ description: 'When the link stops working.' }),
    scopes: Type.Array(Choice(sessionScopes)),
    locationId: Uuid({ description: 'The first of `locationIds`.' }),
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
      description: 'Null for all locations.',
    }),
    recipientId: Nullable(Uuid()),
    madeBy: Type.String({ description: 'Id of the key, session or passkey that made it, or `cli`.' }),
    keyId: Nullable(Uuid(), { description: 'The key that it ends with.' }),
    createdAt: Datetime(),
    redeemedAt: Nullable(Datetime(), { description: 'When the link was used; null while it was not.' }),
    lastSeenAt: Nullable(Datetime(), { description: 'Written every five minutes at most.' }),
    expiresAt: Datetime({ description: 'When the link, or from its use on the session, ends by itself.' }),
    renewableUntil: Nullable(Datetime(), { description: 'Until then it may be renewed, and passkeys open others.' }),
    endedAt: Nullable(Datetime(), { description: 'When it was ended by hand.' }),
    userAgent: Nullable(Type.String()),
    address: Nullable(Type.String(), {
      description:
        'The network address that it was opened from: of the client, where a trusted proxy tells it. Null while the link was not used, ' +
        'and where no address is known.',
    }),
    isOwn: Type.Boolean({ description: 'The session that asks.' }),
  },
  { ...closed, title: 'ConsoleSession' },
)

export const ConsoleSessionPage = CursorPageOf(ConsoleSession, 'ConsoleSessionPage')

/** What a browser answers with a passkey; its parts are checked by who verifies it. */
export const PasskeyAnswer = Type.Object(
  {
    id: Type.String({ maxLength: 2_048 }),
    rawId: Type.String({ maxLength: 2_048 }),
    type: Type.Literal('public-key'),
    response: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'PasskeyAnswer', description: 'As WebAuthn writes it in JSON.' },
)

/** The body of `POST /console/api/passkeys`. */
export const PasskeyInput = Type.Object(
  { label: Type.String({ minLength: 1, maxLength: 100 }), answer: PasskeyAnswer },
  { ...closed, title: 'PasskeyInput' },
)

export const Passkey = Type.Object(
  {
    id: Uuid(),
    label: Type.String({ description: 'What its owner calls it.' }),
    name: Type.String({ description: 'Name in the link that the passkey came of.' }),
    role: NullableChoice(roles),
    scopes: Type.Array(Choice(sessionScopes)),
    locationIds: Type.Array(Uuid()),
    linkId: Uuid({ description: 'The link that it came of.' }),
    keyId: Nullable(Uuid(), { description: 'The key that it ends with.' }),
    origin: Type.String({ description: 'It signs in on pages of this address.', examples: ['https://tills.example'] }),
    isSynced: Type.Boolean({ description: 'Whether it goes along to other devices of the person.' }),
    createdAt: Datetime(),
    lastUsedAt: Nullable(Datetime()),
    expiresAt: Datetime({ description: 'When it ends by itself.' }),
    isOwn: Type.Boolean({ description: 'The session that asks was opened by it.' }),
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
