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

/** The settable fields of a location. Absent fields stay unchanged; in a new location, they are empty or have the default. */
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
  { name, id: Type.Optional(Uuid({ description: 'Id of the location, if the till has one.' })), ...locationFields },
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
    salesInclTax: Minor({ description: 'In minor units of the currency of the location.', examples: [415000] }),
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
    deactivatedAt: Nullable(Datetime(), { description: 'Null if the location is active.' }),
    sequence: Count({ description: 'Last sequence of its journal.' }),
    lastAcceptedAt: Nullable(Datetime(), { description: 'Time of the last accepted record.' }),
    lastOrderAt: Nullable(Datetime(), { description: 'When the newest order was opened.' }),
    today: Type.Unsafe<Static<typeof AdminLocationToday> | null>({
      anyOf: [AdminLocationToday, { type: 'null' }],
      description: 'Sales of the current business day; null while the figures are being built.',
    }),
    openOrders: Count(),
    rejected24h: Count({ description: 'Number of records rejected in the last 24 hours.' }),
    webhooks: Type.Object({ enabled: Count(), failing: Count(), disabled: Count() }, closed),
    completeUntil: Nullable(Datetime(), {
      description: 'Everything that active tills closed until this time has arrived; null while unknown.',
    }),
    backupAt: Nullable(Datetime(), { description: 'Time of its last valid backup; null if it has none.' }),
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
    deactivatedAt: Nullable(Datetime(), { description: 'Null if the location is active.' }),
  },
  { ...closed, title: 'AdminLocationName' },
)

export const AdminLocationNamePage = CursorPageOf(AdminLocationName, 'AdminLocationNamePage')

export const AdminKey = Type.Object(
  {
    id: Uuid(),
    hint: Type.String({ description: 'First characters of the key.' }),
    name: Type.String(),
    locationId: Nullable(Uuid(), { description: 'Null for a key of the installation.' }),
    recipientId: Nullable(Uuid(), {
      description: 'Recipient whose webhooks the key can use; null if the key is not restricted to one recipient.',
    }),
    scopes: Type.Array(Choice(scopes)),
    state: Choice(['active', 'expired', 'revoked']),
    createdAt: Datetime(),
    expiresAt: Nullable(Datetime(), { description: 'Null if the key does not expire.' }),
    revokedAt: Nullable(Datetime(), { description: 'Null if the key was not revoked.' }),
    lastUsedAt: Nullable(Datetime(), { description: 'Written about once a minute.' }),
  },
  { ...closed, title: 'AdminKey' },
)

export const AdminKeyPage = CursorPageOf(AdminKey, 'AdminKeyPage')

export const AdminKeyInput = Type.Object(
  {
    locationId: Type.Optional(Uuid({ description: 'Id of the location; absent for a key with scope `admin`.' })),
    scopes: Type.Array(Choice(scopes), { minItems: 1, maxItems: locationScopes.length, uniqueItems: true }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    recipientId: Type.Optional(Uuid({ description: 'Restrict the key to the webhooks of this recipient.' })),
    expiresAt: Type.Optional(Datetime({ description: 'Expiry of the key; never by default.' })),
    test: Type.Optional(Type.Boolean({ description: 'Create a key that begins with `tg_test_`.' })),
  },
  { ...closed, title: 'AdminKeyInput' },
)

export const AdminKeyMade = Type.Object(
  {
    ...AdminKey.properties,
    key: Type.String({ description: 'The key. It is shown only once, and stored as a hash.' }),
    formerUntil: Nullable(Datetime(), { description: 'Expiry of the replaced key, or null.' }),
  },
  { ...closed, title: 'AdminKeyMade' },
)

export const AdminKeyRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'Time for which both keys are valid.',
      }),
    ),
  },
  { ...closed, title: 'AdminKeyRotation' },
)

export const AdminKeyRevoked = Type.Object(
  {
    ...AdminKey.properties,
    webhooks: Type.Array(Uuid(), { description: 'Webhooks of the key, which continue.' }),
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
    record: Type.String({ description: 'The record as sent by the till.' }),
  },
  { ...closed, title: 'AdminRejected' },
)

export const AdminRejectedPage = CursorPageOf(AdminRejected, 'AdminRejectedPage')

const AdminRejectedGroup = Type.Object(
  {
    locationId: Uuid(),
    code: Choice(faultCodes),
    pointer: Type.String({ description: 'JSON Pointer of the first fault in the record; empty if there is none.' }),
    count: Count(),
    firstAt: Datetime(),
    lastAt: Datetime(),
    lastId: Uuid({ description: 'Id of the newest record.' }),
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
    lastAcceptedAt: Nullable(Datetime(), { description: 'Time of the last accepted record.' }),
    problems: Type.Array(
      Type.Object(
        {
          kind: Choice(codesOf(attentionKinds), {
            description:
              '`journal_broken`: the last verification failed. `silent`: no order for longer than usual, or, for a location too ' +
              'new to tell, nothing for 24 hours. `report_unbalanced`: Z reports of the last 7 days that differ ' +
              'from their orders. `not_verified`: no successful verification for `verifiedDays`. `clock_ahead`: tills whose clock was a minute ' +
              'or more ahead when they pushed one of the last 100 orders.',
          }),
          since: Nullable(Datetime(), { description: 'Start of the problem; null if unknown.' }),
          count: Count({
            description:
              'Number of records, reports, tills or days, or of entries that a webhook is behind; otherwise 1.',
          }),
          subjectId: Nullable(Uuid(), { description: 'Id of the webhook, or of the till that is furthest ahead.' }),
        },
        closed,
      ),
      { description: 'Problems that need attention; empty if there are none.' },
    ),
  },
  { ...closed, title: 'AdminOverviewOfOne' },
)

const AdminInstallationProblem = Type.Object(
  {
    kind: Choice(codesOf(installationKinds), {
      description:
        '`disk_low`: pushes are refused for lack of disk space. `database_clock`: the clocks of the database and of this process ' +
        'differ by five seconds or more. `disk_filling`: less than a tenth of the disk, or less than four times the reserve, is free. ' +
        '`disk_days_left`: at the current rate, pushes will be refused within two weeks for lack of disk space. `backup_old`: a location has no valid backup of the last two days. ' +
        '`entries_lost`: acknowledged entries are lost, and the loss was not acknowledged.',
    }),
    count: Count({
      description:
        'By kind: difference of the clocks, or age of the oldest of the last backups, in milliseconds; free bytes; days left; minimum number of lost entries; otherwise 1.',
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
        locations: Type.Optional(Count({ description: 'With `troubled`: number of all locations.' })),
        troubled: Type.Optional(Count({ description: 'Number of locations that need attention.' })),
      },
      closed,
    ),
    installation: Type.Object(
      { problems: Type.Array(AdminInstallationProblem, { description: 'Problems; empty if there are none.' }) },
      { ...closed, description: 'Problems of the installation itself.' },
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
