import { Type, type Static } from 'typebox'
import { CursorPageOf } from '../contract/paging/schema.ts'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../contract/scalars.ts'

/** These acts are done by hand and leave an entry, by a key or from the command line. */
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
      description: `Present name of ${what}, of a revoked one too; its first characters where it has no name. Left out where it is neither a key nor a session, or is gone.`,
      examples: ['Accounting'],
    }),
  )

const bound = (description: string) =>
  Type.Union([Type.Integer(), Datetime(), Type.Null()], { description: `${description}; null where none was asked.` })

/** Describes what one key did with one operation in one minute. */
export const ReadsEntry = Type.Object(
  {
    sequence: Type.Integer({ description: 'Number of the entry in the log of the location.' }),
    at: Datetime({ description: 'When the entry was written.' }),
    kind: Type.Literal('reads'),
    keyId: Uuid({ description: 'Id of the key, or of the session of the console.' }),
    keyName: NameOf('the key or session'),
    operation: Type.String({ examples: ['GET /v1/orders/'] }),
    minute: Datetime({ description: 'The minute that is counted, by its beginning.' }),
    requests: Count({ description: 'Requests that were answered or refused.' }),
    refused: Count({ description: 'Requests among them that were refused or failed.' }),
    rateLimited: Type.Optional(Count({ description: 'Refused with 429; not there in older entries.' })),
    failed: Type.Optional(Count({ description: 'Failed on our side, 5xx; not there in older entries.' })),
    documents: Count({ description: 'Resources that were handed out.' }),
    from: bound('Lowest sequence handed out or written, or earliest `since`'),
    to: bound('Highest sequence handed out or written, or latest `until`'),
    written: Type.Optional(
      Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
        description:
          'What the key wrote to the journal by pushes, as ranges of sequences with both ends; at most 500 in a minute, the last of which then ' +
          'has others between. Left out where nothing was written, and in older entries.',
        examples: [[[41, 43]]],
      }),
    ),
  },
  { ...closed, title: 'ReadsEntry' },
)

const ActChange = Type.Object(
  {
    field: Type.String({ examples: ['dayStartsAt'] }),
    before: Nullable(Type.String(), { description: 'Null where there was nothing.', examples: ['05:00'] }),
    after: Nullable(Type.String(), { description: 'Null where there is nothing any more.', examples: ['04:00'] }),
  },
  { ...closed, title: 'ActChange' },
)

export const ActEntry = Type.Object(
  {
    sequence: Type.Integer(),
    at: Datetime(),
    kind: Type.Literal('act'),
    act: Choice(actNames),
    by: Type.String({
      description:
        'Id of the key or of the session of the console, `cli`, or `delivery` for what the worker did by itself.',
    }),
    byName: NameOf('the key or session that did it'),
    account: Type.Optional(
      Type.String({
        description: 'With `cli`: the account of the machine that ran the command; behind sudo the one before it.',
      }),
    ),
    subject: Nullable(Type.String(), { description: 'Id of the key, webhook or session that it was done to.' }),
    subjectName: NameOf('the key or session that it was done to'),
    locationId: Type.Optional(Uuid({ description: 'In the log of the installation: the location that it concerned.' })),
    from: Type.Optional(Type.String({ description: 'Address from which an operator did it over HTTP.' })),
    changes: Type.Optional(
      Type.Array(ActChange, {
        description:
          'What it changed, as text, 1,000 characters of each value; of the address of a webhook without its path. Of the fields of a location’s record only that they changed: both are null. Never a secret. ' +
          'Left out where nothing of this kind changed, and in older entries.',
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
        next: Type.Integer({ description: 'Give it as `after` to go on; newest first it is 0 when nothing is left.' }),
        head: Type.Integer({ description: 'Last entry; oldest first equal to `next` when nothing is left.' }),
      },
      closed,
    ),
  },
  { ...closed, title: 'AccessPage' },
)

export const AdminActPage = CursorPageOf(
  ActEntry,
  'AdminActPage',
  'Newest first. Numbers are those of the log of each location.',
)

export type ReadsEntry = Static<typeof ReadsEntry>
export type ActEntry = Static<typeof ActEntry>
export type ActChange = Static<typeof ActChange>
