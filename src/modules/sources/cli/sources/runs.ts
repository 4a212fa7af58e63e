import { randomUUID } from 'node:crypto'
import { readConfig } from '../../../../core/config.ts'
import { WriteQueue } from '../../../../core/ingest/write/queue.ts'
import { leaseMs, pollingDeps } from '../../polling/parts.ts'
import { runSource } from '../../polling/poller.ts'
import { previewSource, type Preview } from '../../polling/preview.ts'
import type { RunDeps } from '../../polling/run.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { PullFailed } from '../../adapters/pull.ts'
import { money } from '../../adapters/ticket/amounts.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { hastenNotices } from '../../store/notices.ts'
import { claimSource, endRun } from '../../store/runs.ts'
import { hastenSource, type SourceRow } from '../../store/sources.ts'
import { byHand } from '../../../../core/cli/acts.ts'
import { withDatabase } from '../../../../core/cli/database.ts'
import { count, note, print, printJson, some, table } from '../../../../core/cli/terminal/output.ts'

type RunFlags = { json?: true }

type Find = (pool: Pool, given: string) => Promise<SourceRow>

const clock = () => new Date()

/** At most this many refused documents, and unread members, are shown. */
const shown = 10

/** Settings of commands that send requests to a system. */
export const askSettings = ['allowHttp', 'allowAddress', 'operatorNames', 'sourceSecretsDir', 'sourceUrls'] as const

/** Calls `work` with the means to send requests to a system, as the settings of the command line allow. */
async function withAsker<T>(pool: Pool, flags: RunFlags, work: (deps: RunDeps) => Promise<T>): Promise<T> {
  const config = readConfig(askSettings, flags, process.env)
  const { allowHttp, allowAddress, operatorNames, sourceSecretsDir: secretsDir, sourceUrls: urls } = config
  const writer = new WriteQueue(pool, clock, { operatorNames })
  const deps = pollingDeps({
    pool,
    writer,
    clock,
    allowHttp,
    allowAddresses: allowAddress,
    limits: { secretsDir, urls },
  })
  try {
    return await work(deps)
  } finally {
    await deps.asker.close()
  }
}

function show(preview: Preview): void {
  const { day, decimals, documents, orders, sales, paidHere, paidThere, left, refused, unmapped, isCut } = preview
  const off = paidHere - paidThere
  const amount = (minor: number) => money(minor, decimals)
  print(
    table(
      ['DAY', 'ORDERS', 'SALES', 'HERE', 'THERE', 'DIFFERENCE'],
      [[day, count(orders), amount(sales), amount(paidHere), amount(paidThere), off === 0 ? '–' : amount(off)]],
    ),
  )
  for (const { key, reason } of refused.slice(0, shown)) note(`refused ${key}: ${reason}`)
  if (refused.length > shown) note(`and ${count(refused.length - shown)} more are refused`)
  for (const [reason, of] of Map.groupBy(left, (one) => one.reason)) note(`skipped ${count(of.length)}: ${reason}`)
  if (unmapped.length > 0)
    note(
      `not read: ${unmapped
        .slice(0, shown)
        .map(([member, n]) => `${member} (${count(n)})`)
        .join(', ')}`,
    )
  if (isCut) note('There are more documents than a check reads: the day may be incomplete.')
  print(`${some(documents, 'document')} since the start of ${day}; nothing was stored`)
}

/** Shows what a source would store for yesterday, beside the figures of the system itself. */
export async function check(given: string, flags: RunFlags, find: Find): Promise<void> {
  const preview = await withDatabase(flags, async ({ pool }) =>
    withAsker(pool, flags, async (deps) => previewSource(await find(pool, given), deps)),
  ).catch((error: unknown) => {
    if (error instanceof PullFailed) throw new CliError('source_failed', error.message, { cause: error })
    throw error
  })
  const { left, refused, ...rest } = preview
  const keys = (list: typeof left) => list.map(({ key, reason }) => ({ key, reason }))
  if (flags.json) printJson({ ...rest, left: keys(left), refused: keys(refused) })
  else show(preview)
  if (refused.length > 0 || preview.paidHere !== preview.paidThere) process.exitCode = 1
}

/** Runs a source in this process, under its lease like any other run. */
export async function run(given: string, flags: RunFlags, find: Find): Promise<void> {
  const result = await withDatabase(flags, async ({ pool }) => {
    const { id, locationId, state } = await find(pool, given)
    if (state !== 'active')
      throw new CliError('source_inactive', `the source is ${state}: run tillgate source resume ${id}`)
    await byHand(pool, locationId, { act: 'source.run', subject: id })
    await hastenSource(pool, locationId, id, clock())
    await hastenNotices(pool, { locationId, id }, clock())
    const lease = { locationId, id, token: randomUUID() }
    const source = await claimSource(pool, { ...lease, now: clock(), leaseMs })
    if (!source) throw new CliError('source_running', 'this source is already running: see tillgate source list')
    return withAsker(pool, flags, async (deps) => {
      const { end, run: ran } = await runSource(source, lease, deps)
      await endRun(pool, lease, end, clock())
      return { id, end, documents: ran?.documents ?? 0, accepted: ran?.accepted ?? 0 }
    })
  })
  const { id, end, documents, accepted } = result
  const error = 'error' in end ? end.error : null
  if (flags.json) printJson({ id, outcome: end.kind, documents, accepted, error })
  else {
    print(`${some(documents, 'document')} read, ${some(accepted, 'record')} stored`)
    if (error !== null) note(`${end.kind}: ${error}`)
  }
  if (end.kind !== 'done') process.exitCode = 1
}
