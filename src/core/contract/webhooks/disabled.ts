import { Type, type Static } from 'typebox'
import type { disabledReasons } from '../../outcomes.ts'
import { Choice, closed, Datetime, Nullable, Uuid } from '../scalars.ts'

/** The reasons for which one webhook can be disabled; any other reason disables all webhooks of a location at once. */
const shownReasons = [
  'gone',
  'failing',
  'operator',
  'paused',
  'key_revoked',
] as const satisfies (keyof typeof disabledReasons)[]

/** A disabled webhook, without URL and recipient: every partner of the location may read it. */
export const DisabledWebhook = Type.Object(
  {
    id: Uuid({ description: 'Id of the webhook.' }),
    reason: Choice(shownReasons, {
      description: '`gone` (410), `failing` (5 days of only failures), `operator`, `paused` or `key_revoked`.',
    }),
    disabledAt: Datetime(),
    failingSince: Nullable(Datetime(), { description: 'First failure since the last success, if `failing`.' }),
  },
  { ...closed, title: 'DisabledWebhook' },
)

export type DisabledWebhook = Static<typeof DisabledWebhook>
