import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { rotateSecret, webhookStatus } from '../../../core/delivery/webhooks.ts'
import { changesBetween, loggedWebhook } from '../../../core/domain/accounts/act-changes.ts'
import { allTime } from '../../../core/domain/days/day-ranges.ts'
import { eventTypes } from '../../../core/schemas/events.ts'
import type { Delivery } from '../../../core/contract/webhooks/schema.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { findSequenceAt, getHead } from '../../../core/store/journal/journal.ts'
import { listDeliveries } from '../../../core/store/webhooks/webhook-attempts.ts'
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  findWebhookAnywhere,
  listAllWebhooks,
  rewindWebhook,
  type WebhookRow,
} from '../../../core/contract/webhooks/rows.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { CliError } from '../../../core/server/errors.ts'
import { addSettings, finish, readSince, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { count, note, print, printJson, some, table } from '../../../core/cli/terminal/output.ts'

type Json = { json?: true }

async function getNamed(pool: Pool, given: string): Promise<WebhookRow> {
  const id = readUuid('the id', given)
  const webhook = await findWebhookAnywhere(pool, id)
  if (!webhook) throw new CliError('webhook_not_found', `webhook ${id} does not exist: see tillgate webhook list`)
  return webhook
}

async function list(flags: Json & { location?: string }): Promise<void> {
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const webhooks = await withDatabase(flags, async ({ pool }) => {
    const rows = await listAllWebhooks(pool, locationId)
    if (rows.length === 0 && locationId !== undefined && !(await findLocation(pool, locationId))) {
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    }
    return Promise.all(rows.map(async (webhook) => ({ webhook, status: await webhookStatus(pool, webhook) })))
  })
  if (flags.json) {
    return printJson(
      webhooks.map(({ webhook: { id, locationId: of, recipientId, endpointUrl, events }, status }) => {
        return { id, locationId: of, recipientId, endpointUrl, events, ...status }
      }),
    )
  }
  if (webhooks.length === 0) return note('There are no webhooks: partners register them with POST /v1/webhooks/')
  const rows = webhooks.map(({ webhook, status }) => [
    webhook.id,
    webhook.locationId,
    status.disabledReason === null ? status.state : `${status.state} (${status.disabledReason})`,
    count(status.behind),
    count(status.setAside),
    status.nextAttemptAt ?? '-',
    webhook.endpointUrl,
    webhook.events.join(','),
  ])
  print(table(['ID', 'LOCATION', 'STATE', 'BEHIND', 'WAITING', 'NEXT ATTEMPT', 'ENDPOINT', 'EVENTS'], rows))
}

type DeliveryFlags = Json & { event?: string; failed?: true; limit: string }

async function deliveries(given: string, flags: DeliveryFlags): Promise<void> {
  if (flags.event !== undefined && !eventTypes.some((type) => type === flags.event)) {
    throw new CliError('usage', `--event must be one of ${eventTypes.join(', ')}, not ${JSON.stringify(flags.event)}`)
  }
  const limit = readInteger('--limit', flags.limit, 1, 10_000)
  const filter = {
    event: flags.event ?? null,
    success: flags.failed ? false : null,
    from: new Date(allTime.first),
    to: new Date(allTime.last),
    after: null,
    limit,
  }
  const attempts = await withDatabase(flags, async ({ pool }) => {
    const { locationId, id } = await getNamed(pool, given)
    const rows = await listDeliveries(pool, locationId, id, filter)
    return rows.map((row) => JSON.parse(row.document) as Delivery)
  })
  if (flags.json) return printJson(attempts)
  if (attempts.length === 0) return note('Nothing was sent yet.')
  const rows = attempts.map((attempt) => [
    attempt.sentAt,
    String(attempt.sequence),
    attempt.event,
    String(attempt.attempt),
    attempt.success ? 'ok' : (attempt.errorClass ?? 'failed'),
    attempt.status === 0 ? '-' : String(attempt.status),
    `${attempt.durationMs.toFixed(1)} ms`,
    attempt.message,
  ])
  print(table(['SENT AT', 'SEQUENCE', 'EVENT', 'ATTEMPT', 'OUTCOME', 'STATUS', 'TOOK', 'MESSAGE'], rows))
}

type ReplayFlags = Json & { sequence?: string; since?: string }

async function readStart(pool: Pool, locationId: string, { sequence, since }: ReplayFlags): Promise<number> {
  if ((sequence === undefined) === (since === undefined)) {
    throw new CliError('usage', 'give either --sequence or --since')
  }
  const from =
    since === undefined
      ? readInteger('--sequence', sequence ?? '', 1, Number.MAX_SAFE_INTEGER)
      : await findSequenceAt(pool, locationId, readSince(since))
  const { seq } = await getHead(pool, locationId)
  if (from > Math.max(seq, 1))
    throw new CliError(
      'sequence_ahead',
      `the journal ends at ${seq}, so there are no events to send: choose an earlier start`,
    )
  return from
}

async function replay(given: string, flags: ReplayFlags): Promise<void> {
  const result = await withDatabase(flags, async ({ pool }) => {
    const { locationId, id } = await getNamed(pool, given)
    const sequence = await readStart(pool, locationId, flags)
    if (!(await rewindWebhook(pool, locationId, id, sequence))) {
      throw new CliError('replay_running', 'a replay is in progress: see tillgate webhook list')
    }
    const changes = changesBetween(null, { sequence })
    await byHand(pool, locationId, { act: 'webhook.replayed', subject: id, changes })
    return { id, sequence }
  })
  if (flags.json) printJson(result)
  else print(`replaying ${result.id} from sequence ${result.sequence}`)
}

async function enable(given: string, flags: Json): Promise<void> {
  const status = await withDatabase(flags, async ({ pool }) => {
    const { locationId, id, state } = await getNamed(pool, given)
    const changes = changesBetween({ state }, { state: 'enabled' })
    await byHand(pool, locationId, { act: 'webhook.enabled', subject: id, changes })
    await enableWebhook(pool, locationId, id, new Date())
    return { id, ...(await webhookStatus(pool, await getNamed(pool, id))) }
  })
  if (flags.json) printJson(status)
  else print(`enabled ${status.id}, ${some(status.behind, 'journal entry', 'journal entries')} behind`)
}

async function disable(given: string, flags: Json): Promise<void> {
  const status = await withDatabase(flags, async ({ pool }) => {
    const { locationId, id, state } = await getNamed(pool, given)
    const changes = changesBetween({ state }, { state: 'disabled' })
    await byHand(pool, locationId, { act: 'webhook.disabled', subject: id, changes })
    await disableWebhook(pool, { locationId, id }, { reason: 'operator', at: new Date() })
    return { id, ...(await webhookStatus(pool, await getNamed(pool, id))) }
  })
  if (flags.json) printJson(status)
  else print(`disabled ${status.id}; webhook enable resumes it where it stopped`)
}

async function remove(given: string, flags: Json): Promise<void> {
  const { id } = await withDatabase(flags, async ({ pool }) => {
    const webhook = await getNamed(pool, given)
    const changes = changesBetween(loggedWebhook(webhook), null)
    await byHand(pool, webhook.locationId, { act: 'webhook.deleted', subject: webhook.id, changes })
    await deleteWebhook(pool, webhook.locationId, webhook.id)
    return webhook
  })
  if (flags.json) printJson({ id })
  else print(`deleted ${id} and its delivery log`)
}

/** Returns the webhook with the id, or all webhooks of a location. */
async function getChosen(pool: Pool, given: string | undefined, location: string | undefined): Promise<WebhookRow[]> {
  if ((given === undefined) === (location === undefined)) {
    throw new CliError('usage', 'give either the id of a webhook or --location')
  }
  return given === undefined
    ? listAllWebhooks(pool, readUuid('--location', location ?? ''))
    : [await getNamed(pool, given)]
}

async function rotate(given: string | undefined, flags: Json & { location?: string }): Promise<void> {
  const rotated = await withDatabase(flags, async ({ pool }) => {
    const made: { id: string; recipientId: string; endpointUrl: string; secret: string }[] = []
    for (const { locationId, id, recipientId, endpointUrl } of await getChosen(pool, given, flags.location)) {
      const now = new Date()
      const webhook = await rotateSecret(pool, locationId, id, now)
      if (!webhook) continue
      await byHand(pool, locationId, { act: 'webhook.secret_rotated', subject: id }, now)
      made.push({ id, recipientId, endpointUrl, secret: webhook.secret })
    }
    return made
  })
  if (flags.json) return printJson(rotated)
  if (rotated.length === 0) return note('The location has no webhooks.')
  const rows = rotated.map(({ id, endpointUrl, secret }) => [id, endpointUrl, secret])
  print(table(['ID', 'ENDPOINT', 'NEW SECRET'], rows))
  note(
    'For 24 hours, or until the next rotation, deliveries are also signed with the old secret: give each recipient the new one before that.',
  )
}

const senderSettings = ['allowHttp', 'allowAddress'] as const

async function test(given: string, flags: Json): Promise<void> {
  const { allowHttp, allowAddress } = readConfig(senderSettings, flags, process.env)
  // Loaded here, because no other command sends anything.
  const { createSender } = await import('../../../core/delivery/sender/send.ts')
  const { testWebhook } = await import('../../../core/contract/webhooks/test-send.ts')
  const sender = createSender({ allowHttp, allowAddresses: allowAddress })
  try {
    const result = await withDatabase(flags, async ({ pool }) =>
      testWebhook(sender, await getNamed(pool, given), new Date()),
    )
    const entries = Object.entries(result)
    if (flags.json) printJson(result)
    else
      print(
        table(
          ['EVENT', 'STATUS', 'MESSAGE'],
          entries.map(([event, e]) => [event, String(e.status), e.message]),
        ),
      )
    if (entries.some(([, { success }]) => !success)) process.exitCode = 1
  } finally {
    await sender.close()
  }
}

const someId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'

function onOne(parent: Command, name: string, summary: string, description: string): Command {
  return parent
    .command(name)
    .summary(summary)
    .description(description)
    .argument('<id>', 'id of the webhook, as webhook list shows it')
}

function defineLists(command: Command): void {
  const listing = command
    .command('list')
    .summary('List webhooks')
    .description('List webhooks and the state of their deliveries.')
    .option('--location <id>', 'only webhooks of this location')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, ['webhook list', 'webhook list --json'])

  const logging = onOne(command, 'deliveries', 'Show the delivery log', 'List delivery attempts, newest first.')
    .option('--event <name>', 'only attempts of this event')
    .option('--failed', 'only attempts that failed')
    .option('--limit <n>', 'number of attempts to show', '20')
  addSettings(logging, databaseSettings).action(deliveries)
  finish(logging, [`webhook deliveries ${someId}`, `webhook deliveries ${someId} --failed --json`])
}

/** Adds the commands that resume, restart or stop deliveries. */
function defineSwitches(command: Command): void {
  const replaying = onOne(
    command,
    'replay',
    'Send events again',
    'Send events again from a journal sequence or a time. They keep their webhook-id.',
  )
    .option('--sequence <n>', 'start at this journal sequence')
    .option('--since <when>', 'from this date or ISO 8601 datetime on')
  addSettings(replaying, databaseSettings).action(replay)
  finish(replaying, [`webhook replay ${someId} --sequence 1`, `webhook replay ${someId} --since 2026-03-01`])

  const enabling = onOne(
    command,
    'enable',
    'Resume a webhook',
    'Resume a disabled or failing webhook where it stopped. No event is lost.',
  )
  addSettings(enabling, databaseSettings).action(enable)
  finish(enabling, [`webhook enable ${someId}`])

  const disabling = onOne(
    command,
    'disable',
    'Stop a webhook',
    'Stop a webhook: nothing is sent until webhook enable, which resumes where it stopped.',
  )
  addSettings(disabling, databaseSettings).action(disable)
  finish(disabling, [`webhook disable ${someId}`])
}

export function define(command: Command): void {
  defineLists(command)
  defineSwitches(command)

  const deleting = onOne(
    command,
    'delete',
    'Delete a webhook',
    'Delete a webhook with its secret, its retries and its delivery log.',
  )
  addSettings(deleting, databaseSettings).action(remove)
  finish(deleting, [`webhook delete ${someId}`])

  const rotating = command
    .command('rotate')
    .summary('Rotate signing secrets')
    .description(
      'Create and print a new signing secret for a webhook, or for all webhooks of a location. The old secret also signs for 24 hours; ' +
        'a second rotation within this time invalidates it.',
    )
    .argument('[id]', 'id of the webhook, as webhook list shows it')
    .option('--location <id>', 'all webhooks of this location')
  addSettings(rotating, databaseSettings).action(rotate)
  finish(rotating, [
    `webhook rotate ${someId}`,
    'webhook rotate --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json',
  ])

  const testing = onOne(
    command,
    'test',
    'Send fake events',
    'Send one sample payload per event of the webhook. Exits with 1 if a response is not 2xx.',
  )
  addSettings(testing, [...databaseSettings, ...senderSettings]).action(test)
  finish(testing, [`webhook test ${someId}`, `webhook test ${someId} --allow-http --allow-address 127.0.0.0/8`])
}
