import { Type, type Static } from 'typebox'
import { faultCodes } from '../../../core/contract/errors/faults.ts'
import { attentionKinds, codesOf, installationKinds } from '../../../core/outcomes.ts'
import { LocationSettings } from '../../../core/contract/location/schema.ts'
import { CursorPageOf, NextCursor } from '../../../core/contract/paging/schema.ts'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'
import { locationScopes, scopes } from '../../../core/schemas/scopes.ts'
import { Webhook, WebhookStatus } from '../../../core/contract/webhooks/schema.ts'

const text = (description?: string) =>
  Type.Optional(Type.String({ maxLength: 1_000, ...(description ? { description } : {}) }))

/** These fields may be given of a location; what is left out stays, or is empty or the default for a new one. */
const locationFields = {
  address: text('Street and number.'),
  city: text(),
  zip: text(),
  country: text(),
  phone: text(),
  url: text(),
  siret: text('French establishment number.'),
  naf: text('French activity code.'),
  tva: text('European VAT number.'),
  text: text('Free text printed on tickets.'),
  ...Type.Partial(LocationSettings).properties,
}

const name = Type.String({ minLength: 1, maxLength: 1_000, description: 'Name of the restaurant.' })

export const AdminLocationInput = Type.Object(
  { name, id: Type.Optional(Uuid({ description: 'When the till has one already.' })), ...locationFields },
  { ...closed, title: 'AdminLocationInput' },
)

export const AdminLocationChange = Type.Object(
  { name: Type.Optional(name), ...locationFields },
  { ...closed, title: 'AdminLocationChange', minProperties: 1 },
)

const AdminLocationToday = Type.Object(
  {
    businessDay: Type.String({ format: 'date' }),
    orders: Count({ description: 'Number of counted orders.', examples: [84] }),
    salesInclTax: Minor({ description: 'In hundredths of its currency.', examples: [415000] }),
  },
  { ...closed, title: 'AdminLocationToday' },
)

export const AdminLocation = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    city: Type.String(),
    ...LocationSettings.properties,
    createdAt: Datetime(),
    deactivatedAt: Nullable(Datetime()),
    sequence: Count({ description: 'Last number of its journal.' }),
    lastAcceptedAt: Nullable(Datetime(), { description: 'When something was accepted last.' }),
    lastOrderAt: Nullable(Datetime(), { description: 'When the newest order was opened.' }),
    today: Type.Unsafe<Static<typeof AdminLocationToday> | null>({
      anyOf: [AdminLocationToday, { type: 'null' }],
      description: 'What was sold on its business day; null while its figures are being built.',
    }),
    openOrders: Count(),
    rejected24h: Count({ description: 'Records that were rejected in the last 24 hours.' }),
    webhooks: Type.Object({ enabled: Count(), failing: Count(), disabled: Count() }, closed),
    completeUntil: Nullable(Datetime(), {
      description: 'Everything that was closed until then has arrived; null while that is not known.',
    }),
    backupAt: Nullable(Datetime(), { description: 'When its last good backup was made; null without any.' }),
  },
  { ...closed, title: 'AdminLocation' },
)

export const AdminLocationPage = CursorPageOf(AdminLocation, 'AdminLocationPage')

const AdminLocationName = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    city: Type.String(),
    timeZone: LocationSettings.properties.timeZone,
    currency: LocationSettings.properties.currency,
    deactivatedAt: Nullable(Datetime()),
  },
  { ...closed, title: 'AdminLocationName' },
)

export const AdminLocationNamePage = CursorPageOf(AdminLocationName, 'AdminLocationNamePage')

export const AdminKey = Type.Object(
  {
    id: Uuid(),
    hint: Type.String({ description: 'The first characters.' }),
    name: Type.String(),
    locationId: Nullable(Uuid(), { description: 'Null for a key of the installation.' }),
    recipientId: Nullable(Uuid()),
    scopes: Type.Array(Choice(scopes)),
    state: Choice(['active', 'expired', 'revoked']),
    createdAt: Datetime(),
    expiresAt: Nullable(Datetime()),
    revokedAt: Nullable(Datetime()),
    lastUsedAt: Nullable(Datetime(), { description: 'Written about once a minute.' }),
  },
  { ...closed, title: 'AdminKey' },
)

export const AdminKeyPage = CursorPageOf(AdminKey, 'AdminKeyPage')

export const AdminKeyInput = Type.Object(
  {
    locationId: Type.Optional(Uuid({ description: 'Left out for a key of scope `admin`.' })),
    scopes: Type.Array(Choice(scopes), { minItems: 1, maxItems: locationScopes.length, uniqueItems: true }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    recipientId: Type.Optional(Uuid({ description: 'See and write only the webhooks of this recipient.' })),
    expiresAt: Type.Optional(Datetime({ description: 'Left out: never.' })),
    test: Type.Optional(Type.Boolean({ description: 'Make a key that begins with `tg_test_`.' })),
  },
  { ...closed, title: 'AdminKeyInput' },
)

export const AdminKeyMade = Type.Object(
  {
    ...AdminKey.properties,
    key: Type.String({ description: 'The key. It is shown once, and stored hashed.' }),
    formerUntil: Nullable(Datetime(), { description: 'Until when the key that it replaces goes on; else null.' }),
  },
  { ...closed, title: 'AdminKeyMade' },
)

export const AdminKeyRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_592_000, default: 86_400, description: 'How long both keys are valid.' }),
    ),
  },
  { ...closed, title: 'AdminKeyRotation' },
)

export const AdminKeyRevoked = Type.Object(
  {
    ...AdminKey.properties,
    webhooks: Type.Array(Uuid(), { description: 'Webhooks that the key could write, and which go on.' }),
  },
  { ...closed, title: 'AdminKeyRevoked' },
)

const AdminRejected = Type.Object(
  {
    id: Uuid(),
    locationId: Uuid(),
    receivedAt: Datetime(),
    keyId: Nullable(Uuid()),
    line: Type.Integer({ description: 'Line of the push.' }),
    code: Choice(faultCodes),
    detail: Type.String(),
    errors: Type.Array(
      Type.Object(
        { pointer: Type.String(), code: Choice(faultCodes), detail: Type.String() },
        { additionalProperties: true },
      ),
    ),
    record: Type.String({ description: 'What the till sent, as it came.' }),
  },
  { ...closed, title: 'AdminRejected' },
)

export const AdminRejectedPage = CursorPageOf(AdminRejected, 'AdminRejectedPage')

const AdminRejectedGroup = Type.Object(
  {
    locationId: Uuid(),
    code: Choice(faultCodes),
    pointer: Type.String({ description: 'Place of the first fault in the record; empty where there is none.' }),
    count: Count(),
    firstAt: Datetime(),
    lastAt: Datetime(),
    lastId: Uuid({ description: 'The newest of them.' }),
  },
  { ...closed, title: 'AdminRejectedGroup' },
)

export const AdminRejectedSummary = CursorPageOf(AdminRejectedGroup, 'AdminRejectedSummary')

export const AdminDeleted = Type.Object({ deleted: Count() }, { ...closed, title: 'AdminDeleted' })

export const AdminWebhook = Type.Object(
  { ...Webhook.properties, ...WebhookStatus.properties },
  { ...closed, title: 'AdminWebhook' },
)

export const AdminWebhookPage = CursorPageOf(AdminWebhook, 'AdminWebhookPage')

const AdminOverviewOfOne = Type.Object(
  {
    locationId: Uuid(),
    name: Type.String(),
    city: Type.String(),
    sequence: Count(),
    lastAcceptedAt: Nullable(Datetime()),
    problems: Type.Array(
      Type.Object(
        {
          kind: Choice(codesOf(attentionKinds), {
            description:
              '`journal_broken`: the last verification found something; `silent`: no order for longer than usual, or, of a location too ' +
              'new to say, nothing for 24 hours; `report_unbalanced`: Z reports of the last 7 days that differ ' +
              'from their orders; `not_verified`: no verification held for `verifiedDays`, since the first entry where none ever did; `clock_ahead`: tills whose clock was a minute ' +
              'or more ahead when they pushed one of the last 100 orders.',
          }),
          since: Nullable(Datetime(), { description: 'When it began; null where that is not known.' }),
          count: Count({ description: 'Records, reports, tills, days, or entries that a webhook is behind; else 1.' }),
          subjectId: Nullable(Uuid(), { description: 'Id of the webhook, or of the till that is ahead most.' }),
        },
        closed,
      ),
      { description: 'What needs attention; empty where all is well.' },
    ),
  },
  { ...closed, title: 'AdminOverviewOfOne' },
)

const AdminInstallationProblem = Type.Object(
  {
    kind: Choice(codesOf(installationKinds), {
      description:
        '`disk_low`: pushes are refused until there is room; `database_clock`: the clocks of the database and of the process that ' +
        'answers are apart by five seconds or more; `disk_filling`: less than a tenth of the disk is free, or four times what is kept; ' +
        '`disk_days_left`: at the rate of the last days that is so within two weeks; `backup_old`: a location has no good backup of the last two days; ' +
        '`entries_lost`: entries that were acknowledged are gone, and nobody has acknowledged it.',
    }),
    count: Count({
      description:
        'Milliseconds that the clocks are apart, or since the oldest of the last good backups; bytes that are free; days that are left; entries that are lost; else 1.',
    }),
  },
  { ...closed, title: 'AdminInstallationProblem' },
)

export const AdminOverview = Type.Object(
  {
    ...CursorPageOf(AdminOverviewOfOne, 'AdminOverview').properties,
    meta: Type.Object(
      {
        next: NextCursor,
        locations: Type.Optional(Count({ description: 'With `troubled`, so many locations were looked at: all.' })),
        troubled: Type.Optional(Count({ description: 'So many of them need attention.' })),
      },
      closed,
    ),
    installation: Type.Object(
      { problems: Type.Array(AdminInstallationProblem, { description: 'Empty where all is well.' }) },
      { ...closed, description: 'What concerns no location.' },
    ),
  },
  { ...closed, title: 'AdminOverview' },
)

export type AdminLocationName = Static<typeof AdminLocationName>
export type AdminLocation = Static<typeof AdminLocation>
export type AdminLocationChange = Static<typeof AdminLocationChange>
export type AdminKey = Static<typeof AdminKey>
export type AdminOverview = Static<typeof AdminOverview>
export type AdminWebhook = Static<typeof AdminWebhook>
