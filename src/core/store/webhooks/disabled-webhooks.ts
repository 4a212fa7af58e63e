import { randomUUID } from 'node:crypto'
import { acceptanceTime } from '../../domain/journal/chain.ts'
import type { DisabledWebhook } from '../../contract/webhooks/disabled.ts'
import type { Sql } from '../db/database.ts'
import { appendChanges } from '../journal/journal.ts'
import type { TakenHead } from '../journal/resumption.ts'

type Disabling = Pick<DisabledWebhook, 'id' | 'reason'> & { at: Date; failingSince: Date | null }

/** Returns the journal's description of one disabled webhook. */
export function toDisabled({ id, reason, at, failingSince }: Disabling): DisabledWebhook {
  return { id, reason, disabledAt: at.toISOString(), failingSince: failingSince?.toISOString() ?? null }
}

/**
 * Appends the disabled webhooks to the location's journal, which informs its other webhooks. The caller holds the head's
 * lock. Each is an entry with an id of its own and no previous version: a webhook is not a resource with versions.
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
