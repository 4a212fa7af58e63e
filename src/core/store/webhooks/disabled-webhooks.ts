import { randomUUID } from 'node:crypto'
import { acceptanceTime } from '../../domain/journal/chain.ts'
import type { DisabledWebhook } from '../../contract/webhooks/disabled.ts'
import type { Sql } from '../db/database.ts'
import { appendChanges } from '../journal/journal.ts'
import type { TakenHead } from '../journal/resumption.ts'

type Disabling = Pick<DisabledWebhook, 'id' | 'reason'> & { at: Date; failingSince: Date | null }

/** Returns what the journal says of one disabled webhook. */
export function toDisabled({ id, reason, at, failingSince }: Disabling): DisabledWebhook {
  return { id, reason, disabledAt: at.toISOString(), failingSince: failingSince?.toISOString() ?? null }
}

/**
 * Tells the location's journal, and by it the other webhooks, which ones are called no more. The caller holds the head's lock. Each
 * is an entry with an id of its own and none before it: a webhook is no resource that has versions.
 */
export async function appendDisabled(
  sql: Sql,
  locationId: string,
  head: TakenHead,
  { webhooks, now }: { webhooks: readonly DisabledWebhook[]; now: Date },
): Promise<void> {
  const changes = webhooks.map((webhook) => ({
    kind: 'webhook',
    id: randomUUID(),
    prevSeq: null,
    types: ['webhook.disabled'],
    document: JSON.stringify(webhook),
  }))
  if (changes.length > 0) await appendChanges(sql, { locationId, head }, changes, acceptanceTime(head, now))
}
