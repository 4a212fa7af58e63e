import { readFile } from 'node:fs/promises'
import type { EventType } from '../../src/core/schemas/events.ts'
import type { Pool } from '../../src/core/store/db/database.ts'
import type { KeptReceipt } from './processes/receiver.ts'
import { idOf } from './records.ts'

/** A webhook that was created before the first push, so it receives the whole journal. */
export type SoakWebhook = { id: string; path: string; events: EventType[]; locationId: string }

/** Version `v` of order `n` was acknowledged. */
export type Acknowledged = { locationId: string; n: number; v: number }

/** If `faults` is empty, nothing was lost, the order is correct, and the log agrees. */
export type Verdict = { faults: string[]; entries: number; deliveries: number; receipts: number; acknowledged: number }

type JournalRow = { locationId: string; seq: number; id: string; types: EventType[]; version: number }

const faultsShown = 20

const nameOf = ({ seq, type }: { seq: number; type: string }) => `${seq} ${type}`

async function readReceipts(file: string): Promise<KeptReceipt[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as KeptReceipt)
}

/** Returns the first receipt of each event, in the order of arrival. */
function firstsOf(receipts: readonly KeptReceipt[]): KeptReceipt[] {
  const seen = new Set<string>()
  return receipts.filter((receipt) => {
    const name = nameOf(receipt)
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/** Finds the first request for a resource that arrived before the request for an earlier event of the resource. */
function disorder(receipts: readonly KeptReceipt[]): string | undefined {
  const last = new Map<string, number>()
  for (const receipt of firstsOf(receipts)) {
    const { resource, seq } = receipt
    const before = last.get(resource) ?? 0
    if (seq < before) return `${nameOf(receipt)} of ${resource} after ${before}`
    last.set(resource, seq)
  }
  return undefined
}

/**
 * Checks the requests like a partner: finds the first one that arrived while an earlier event of its resource was not
 * accepted. `expected` are the events for the webhook, in the order of the feed.
 */
function overtaker(
  expected: readonly { seq: number; type: string; resource: string }[],
  receipts: readonly KeptReceipt[],
): string | undefined {
  const waiting = Map.groupBy(expected, ({ resource }) => resource)
  for (const receipt of receipts) {
    const left = waiting.get(receipt.resource) ?? []
    const at = left.findIndex((event) => nameOf(event) === nameOf(receipt))
    const [first] = left
    // An event that was already received is a repetition.
    if (first && at > 0) return `${nameOf(receipt)} of ${receipt.resource} before ${nameOf(first)} was accepted`
    if (at === 0 && receipt.status === 200) waiting.set(receipt.resource, left.slice(1))
  }
  return undefined
}

function judgeWebhook(
  webhook: SoakWebhook,
  journal: readonly JournalRow[],
  receipts: readonly KeptReceipt[],
  logged: ReadonlySet<string>,
): { faults: string[]; expected: number } {
  const faults: string[] = []
  const expected = journal
    .filter(({ locationId }) => locationId === webhook.locationId)
    .flatMap(({ seq, id, types }) =>
      types.filter((type) => webhook.events.includes(type)).map((type) => ({ seq, type, resource: id })),
    )
  const accepted = receipts.filter(({ status }) => status === 200)
  const arrived = new Set(accepted.map(nameOf))
  const known = new Set(expected.map(nameOf))
  const fault = (text: string) => faults.push(`webhook ${webhook.id}: ${text}`)
  for (const event of expected) {
    if (!arrived.has(nameOf(event))) fault(`${nameOf(event)} never arrived`)
    if (!logged.has(nameOf(event))) fault(`${nameOf(event)} has no successful attempt in the log`)
  }
  for (const name of arrived) if (!known.has(name)) fault(`${name} is not in the journal, or not registered for`)
  for (const [what, those] of [['receipt', receipts] as const, ['acceptance', accepted] as const]) {
    const wrong = disorder(those)
    if (wrong) fault(`first ${what} out of order: ${wrong}`)
  }
  const overtaking = overtaker(expected, receipts)
  if (overtaking) fault(`overtook an event that had failed: ${overtaking}`)
  return { faults, expected: expected.length }
}

/** Checks that every acknowledged version is in the journal, in order. */
function judgeAcknowledged(acknowledged: readonly Acknowledged[], journal: readonly JournalRow[]): string[] {
  const faults: string[] = []
  const seqOf = new Map(journal.map(({ locationId, id, version, seq }) => [`${locationId} ${id} ${version}`, seq]))
  const last = new Map<string, number>()
  for (const { locationId, n, v } of acknowledged) {
    const name = `${locationId} ${idOf('order', n)}`
    const seq = seqOf.get(`${name} ${v}`)
    if (seq === undefined) faults.push(`order ${name} version ${v} was acknowledged and is not in the journal`)
    else if (seq < (last.get(name) ?? 0)) faults.push(`order ${name} version ${v} is journaled before an earlier one`)
    else last.set(name, seq)
  }
  return faults
}

export async function judge(
  pool: Pool,
  webhooks: readonly SoakWebhook[],
  receiptsFile: string,
  acknowledged: readonly Acknowledged[],
): Promise<Verdict> {
  const journal = await pool<JournalRow[]>`
    select location_id as "locationId", seq, id, types, coalesce((document::json ->> 'guests')::int, 0) as version
    from journal order by location_id, seq`
  const attempts = await pool<{ webhookId: string; seq: number; type: string }[]>`
    select distinct webhook_id as "webhookId", seq, type from webhook_attempts where ok`
  const states = await pool<{ id: string; state: string }[]>`select id, state from webhooks where state <> 'enabled'`
  const receipts = await readReceipts(receiptsFile)

  const faults = judgeAcknowledged(acknowledged, journal)
  for (const { id, state } of states) faults.push(`webhook ${id} is ${state}`)
  let deliveries = 0
  for (const webhook of webhooks) {
    const own = receipts.filter(({ path }) => path === webhook.path)
    const logged = new Set(attempts.filter(({ webhookId }) => webhookId === webhook.id).map(nameOf))
    const judged = judgeWebhook(webhook, journal, own, logged)
    faults.push(...judged.faults)
    deliveries += judged.expected
  }
  const shown = faults.slice(0, faultsShown)
  if (faults.length > faultsShown) shown.push(`… and ${faults.length - faultsShown} more`)
  const counts = { entries: journal.length, deliveries, receipts: receipts.length, acknowledged: acknowledged.length }
  return { faults: shown, ...counts }
}
