import { Type, type Static } from 'typebox'
import { CursorPageOf } from '../contract/paging/schema.ts'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../contract/scalars.ts'

/** Acts of people, with a key, in the console or at the command line. Each act leaves an entry. */
export const actNames = [
  'key.created',
  'key.rotated',
  'key.revoked',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.replayed',
  'webhook.secret_read',
  'webhook.secret_rotated',
  'data.exported',
  'data.imported',
  'data.backed_up',
  'data.restored',
  'data.rebuilt',
  'data.put_aside',
  'data.brought_back',
  'data.redacted',
  'location.created',
  'location.changed',
  'location.deactivated',
  'location.activated',
  'journal.resumed',
  'loss.acknowledged',
  'accounts.changed',
  'batch.issued',
  'closing.made',
  'checkpoint.made',
  'journal.verified',
  'link.created',
  'session.started',
  'session.ended',
  'session.renewed',
  'passkey.added',
  'passkey.removed',
  'passkey.refused',
  'rejected.deleted',
  'source.added',
  'source.paused',
  'source.resumed',
  'source.run',
  'source.deleted',
] as const

export type ActName = (typeof actNames)[number]

const NameOf = (what: string) =>
  Type.Optional(
    Type.String({
      description: `Current name of ${what}, even if revoked; without a name, its first characters. Absent if it is neither a key nor a session, or was deleted.`,
      examples: ['Accounting'],
    }),
  )

const bound = (description: string) =>
  Type.Union([Type.Integer(), Datetime(), Type.Null()], { description: `${description}; null if no request had one.` })

/** What one key did with one operation in one minute. */
export const ReadsEntry = Type.Object(
  {
    sequence: Type.Integer({ description: 'Sequence of the entry in the log of the location.' }),
    at: Datetime({ description: 'Time at which the entry was written.' }),
    kind: Type.Literal('reads'),
    keyId: Uuid({ description: 'Id of the key or console session.' }),
    keyName: NameOf('the key or session'),
    operation: Type.String({ examples: ['GET /v1/orders/'] }),
    minute: Datetime({ description: 'Start of the counted minute.' }),
    requests: Count({ description: 'Number of requests, answered or refused.' }),
    refused: Count({ description: 'Requests that were refused or failed.' }),
    rateLimited: Type.Optional(Count({ description: 'Requests refused with 429; absent in older entries.' })),
    failed: Type.Optional(Count({ description: 'Requests that failed with 5xx; absent in older entries.' })),
    documents: Count({ description: 'Number of resources returned.' }),
    from: bound('Lowest sequence returned or written, or earliest `since`'),
    to: bound('Highest sequence returned or written, or latest `until`'),
    written: Type.Optional(
      Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
        description:
          'Journal entries written by pushes of the key, as inclusive ranges of sequences; at most 500 per minute, the last of which may ' +
          'contain other entries. Absent if nothing was written, and in older entries.',
        examples: [[[41, 43]]],
      }),
    ),
  },
  { ...closed, title: 'ReadsEntry' },
)

const ActChange = Type.Object(
  {
    field: Type.String({ examples: ['dayStartsAt'] }),
    before: Nullable(Type.String(), { description: 'Value before; null if there was none.', examples: ['05:00'] }),
    after: Nullable(Type.String(), { description: 'Value after; null if there is none.', examples: ['04:00'] }),
  },
  { ...closed, title: 'ActChange' },
)

export const ActEntry = Type.Object(
  {
    sequence: Type.Integer(),
    at: Datetime(),
    kind: Type.Literal('act'),
    act: Choice(actNames),
    by: Type.String({ description: 'Id of the key or console session, `cli`, or `delivery` for the delivery worker.' }),
    byName: NameOf('the key or session that did it'),
    account: Type.Optional(
      Type.String({
        description: 'With `cli`: the user account that ran the command; with sudo, the account that called it.',
      }),
    ),
    subject: Nullable(Type.String(), { description: 'Id of the affected key, webhook or session.' }),
    subjectName: NameOf('the key or session that it was done to'),
    locationId: Type.Optional(Uuid({ description: 'In the log of the installation: the affected location.' })),
    from: Type.Optional(Type.String({ description: 'IP address of an operator who acted over HTTP.' })),
    changes: Type.Optional(
      Type.Array(ActChange, {
        description:
          'Changed values as text, at most 1,000 characters each; webhook URLs without their path. For fields of a location’s record both values are null. Secrets are never included. ' +
          'Absent if no value changed, and in older entries.',
      }),
    ),
  },
  { ...closed, title: 'ActEntry' },
)

export const AccessPage = Type.Object(
  {
    data: Type.Array(Type.Union([ReadsEntry, ActEntry])),
    meta: Type.Object(
      {
        next: Type.Integer({ description: 'Pass it as `after` to continue.' }),
        head: Type.Integer({ description: 'Last entry; equal to `next` at the end.' }),
      },
      closed,
    ),
  },
  { ...closed, title: 'AccessPage' },
)

export const AdminActPage = CursorPageOf(
  ActEntry,
  'AdminActPage',
  'Newest first. Sequences belong to the log of each location.',
)

export type ReadsEntry = Static<typeof ReadsEntry>
export type ActEntry = Static<typeof ActEntry>
export type ActChange = Static<typeof ActChange>
