import { Type, type Static } from 'typebox'
import { problems, type ProblemCode } from '../contract/errors/errors.ts'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../contract/scalars.ts'
import { scopes } from './scopes.ts'

/** The caller's key, or the session in its place. */
export const OwnKey = Type.Object(
  {
    id: Uuid(),
    kind: Choice(['key', 'session']),
    name: Type.String(),
    hint: Type.String({ description: 'First characters of the key; empty for a session without a key.' }),
    scopes: Type.Array(Choice(scopes)),
    locationId: Nullable(Uuid(), { description: 'Id of the location; null for a key of the installation.' }),
    recipientId: Nullable(Uuid(), {
      description: 'Recipient whose webhooks the key can use; null if the key is not restricted to one recipient.',
    }),
    createdAt: Datetime(),
    expiresAt: Nullable(Datetime(), { description: 'Null if the key does not expire.' }),
    lastUsedAt: Nullable(Datetime(), { description: 'Time of the last use, updated about once a minute.' }),
    rateLimit: Nullable(Type.String(), {
      description: 'As in `ratelimit-policy`: `q` requests in `w` seconds; null without a limit.',
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
          refused: Count({ description: 'Requests that were refused or failed.' }),
          rateLimited: Count({ description: 'Requests refused with 429.' }),
          failed: Count({ description: 'Requests that failed with 5xx.' }),
          documents: Count({ description: 'Number of resources returned.' }),
        },
        closed,
      ),
      { description: 'Steps without requests are omitted.' },
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
          lastDetail: Type.String({ description: 'What to change, from the last response.' }),
        },
        closed,
      ),
    ),
    meta: Type.Object({ countedSince: Datetime({ description: 'Start time of the process that responds.' }) }, closed),
  },
  { ...closed, title: 'KeyErrorList' },
)

export type OwnKey = Static<typeof OwnKey>
export type KeyUsage = Static<typeof KeyUsage>
