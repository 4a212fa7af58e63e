import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { writeLost, type Lost } from '../../../core/domain/journal/marks.ts'
import { keepTimelines } from '../../../core/embedded/heads.ts'
import { readAcknowledged } from '../../../core/server/acknowledged.ts'
import { CliError } from '../../../core/server/errors.ts'
import { timelines, transact } from '../../../core/store/db/database.ts'
import { listLocations } from '../../../core/contract/location/rows.ts'
import { resumeJournal } from '../../../core/store/journal/resumption.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../core/cli/terminal/output.ts'

type ResumeFlags = { location?: string; reason: string; yes?: true; json?: true }

/**
 * Asks for confirmation at a terminal, because a healthy journal would skip numbers needlessly. A script is not asked.
 * Throws `CliError` unless the answer is yes.
 */
async function confirm({ yes, json }: ResumeFlags, locations: number, signal: AbortSignal): Promise<void> {
  if (yes || json || locations === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return
  note(
    `Use this only if the database was restored to an earlier state. The journal of ${some(locations, 'location')} will permanently skip a million numbers or ` +
      'more. No data is lost, but an intact journal does not need it.',
  )
  // The terminal keeps its mode, so that Ctrl-C is a signal here too.
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  try {
    // The end of input counts as no.
    const ended = once(terminal, 'close').then(() => '')
    const answer = await Promise.race([terminal.question('Continue? [y/N] ', { signal }), ended])
    if (/^y(es)?$/i.test(answer.trim())) return
  } finally {
    terminal.close()
  }
  throw new CliError('not_confirmed', 'nothing was changed: answer y, or pass --yes')
}

async function run(flags: ResumeFlags): Promise<void> {
  const { reason } = flags
  if (reason.trim() === '')
    throw new CliError('usage', '--reason must not be empty: it stays in the journal permanently')
  const requestedId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const resumed = await withDatabase(
    flags,
    async ({ pool, kept }, signal) => {
      const ids = requestedId === undefined ? (await listLocations(pool)).map(({ id }) => id) : [requestedId]
      await confirm(flags, ids.length, signal)
      const heads = await readAcknowledged(kept)
      const done: { id: string; after: number; sequence: number; lost?: Lost }[] = []
      for (const id of ids) {
        const acknowledged = heads.get(id) ?? 0
        const at = await transact(pool, (tx) => resumeJournal(tx, id, { reason, now: new Date(), acknowledged }))
        if (!at) throw new CliError('location_not_found', `location ${id} does not exist: see tillgate location list`)
        await byHand(pool, id, { act: 'journal.resumed', subject: String(at.sequence) })
        const lost = acknowledged > at.after ? { from: at.after + 1, to: acknowledged } : null
        done.push({ id, ...at, ...(lost && { lost }) })
      }
      // From now on this timeline is the current one.
      if (kept !== null && existsSync(kept.timelines))
        await keepTimelines(kept.timelines, timelines.all, { lowers: true })
      return done
    },
    { acceptsOlder: true },
  )
  if (flags.json) return printJson(resumed)
  for (const { id, after, sequence, lost } of resumed) {
    print(`resumed  ${id}  after ${after} at ${sequence}`)
    if (lost) note(`acknowledged entries ${writeLost(lost)} are lost: tillgate loss list`)
  }
  if (resumed.length === 0) note('There are no locations.')
}

export function define(command: Command): void {
  command
    .description(
      'Continue after the database was restored to an earlier state, because a copy was restored or a lagging ' +
        'replica was promoted. Appends a journal entry that skips all numbers that could have been used ' +
        'before, so that no event id is used twice. Servers that refused writes accept them again. On a terminal it ' +
        'asks for confirmation.',
    )
    .option('--location <id>', 'only this location (default: all)')
    .option(
      '--reason <text>',
      'the reason, which is recorded in the journal',
      'the database was restored to an earlier state',
    )
    .option('--yes', 'do not ask for confirmation')
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'resume',
    'resume --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --reason "restored the dump of 21 November"',
  ])
}
