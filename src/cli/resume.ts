import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { CliError } from '../server/errors.ts'
import { transact } from '../store/database.ts'
import { listLocations } from '../store/locations.ts'
import { resumeJournal } from '../store/resumption.ts'
import { byHand } from './acts.ts'
import { withDatabase } from './database.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { note, print, printJson } from './terminal/output.ts'

type Flags = { location?: string; reason: string; json?: true }

async function run(flags: Flags): Promise<void> {
  const { reason } = flags
  if (reason.trim() === '') throw new CliError('usage', '--reason must not be empty: it stands in the journal for ever')
  const asked = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const resumed = await withDatabase(flags, async ({ pool }) => {
    const ids = asked === undefined ? (await listLocations(pool)).map(({ id }) => id) : [asked]
    const done: { id: string; after: number; sequence: number }[] = []
    for (const id of ids) {
      const at = await transact(pool, (tx) => resumeJournal(tx, id, { reason, now: new Date() }))
      if (!at) throw new CliError('location_not_found', `there is no location ${id}: see tillgate location list`)
      await byHand(pool, id, { act: 'journal.resumed', subject: String(at.sequence) })
      done.push({ id, ...at })
    }
    return done
  })
  if (flags.json) return printJson(resumed)
  for (const { id, after, sequence } of resumed) print(`resumed  ${id}  after ${after} at ${sequence}`)
  if (resumed.length === 0) note('There are no locations.')
}

export function define(command: Command): void {
  command
    .description(
      'Continue after the database went back to an older state, because a copy was restored or a lagging ' +
        'replica was promoted. Appends an entry to the journal that skips all numbers that could have been used ' +
        'before, so that no event id is used twice. Servers that refused writes then accept them again.',
    )
    .option('--location <id>', 'only this location (default: all)')
    .option(
      '--reason <text>',
      'the reason, which is recorded in the journal',
      'the database went back to an older state',
    )
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'resume',
    'resume --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --reason "restored the dump of 21 November"',
  ])
}
