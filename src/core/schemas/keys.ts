import { Type, type Static } from 'typebox'
import { problems, type ProblemCode } from '../contract/errors/errors.ts'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../contract/scalars.ts'
import { scopes } from './scopes.ts'

/** Describes the key that asks, or the session that stands for one. */
export const OwnKey = Type.Object(
  {
    id: Uuid(),
    kind: Choice(['key', 'session']),
    name: Type.String(),
    hint: Type.String({ description: 'The first characters of the key; empty for a session that no key made.' }),
    scopes: Type.Array(Choice(scopes)),
    locationId: Nullable(Uuid(), { description: 'Null for a key of the installation.' }),
    recipientId: Nullable(Uuid()),
    createdAt: Datetime(),
    expiresAt: Nullable(Datetime()),
    lastUsedAt: Nullable(Datetime(), { description: 'Written about once a minute.' }),
    rateLimit: Nullable(Type.String(), {
      description: 'As in `ratelimit-policy`: requests `q` in `w` seconds; null for no limit.',
      examples: ['"default";q=100;w=2'],
    }),
  },
  { ...closed, title: 'OwnKey' },
)

export const KeyUsage = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          from: Datetime(),
          requests: Count(),
          refused: Count({ description: 'Requests among them that were refused or failed.' }),
          rateLimited: Count({ description: 'Refused with 429.' }),
          failed: Count({ description: 'Failed on our side, 5xx.' }),
          documents: Count({ description: 'Resources that were handed out.' }),
        },
        closed,
      ),
      { description: 'Without the steps in which nothing was asked.' },
    ),
    meta: Type.Object({ since: Datetime(), until: Datetime(), step: Type.String() }, closed),
  },
  { ...closed, title: 'KeyUsage' },
)

export const KeyErrorList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          code: Choice(Object.keys(problems) as ProblemCode[]),
          operation: Type.String({ examples: ['GET /v1/orders/'] }),
          count: Count(),
          firstAt: Datetime(),
          lastAt: Datetime(),
          lastRequestId: Type.String(),
          lastDetail: Type.String({ description: 'What to change, as the last answer said it.' }),
        },
        closed,
      ),
    ),
    meta: Type.Object({ countedSince: Datetime({ description: 'Start of the process that answers.' }) }, closed),
  },
  { ...closed, title: 'KeyErrorList' },
)

export type OwnKey = Static<typeof OwnKey>
export type KeyUsage = Static<typeof KeyUsage>
