import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { chooseOld, listBackups, removeBackup, type Keep } from '../../format/prune.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { readDuration } from '../../../../core/cli/keys.ts'
import { finish } from '../../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../../core/cli/terminal/output.ts'

type Flags = { keep?: string; dryRun?: true; json?: true }

/** A number of backups, or a duration. */
function readKeep(text = ''): Keep {
  const ms = readDuration(text)
  if (ms !== undefined && ms > 0) return { ms }
  if (/^[1-9]\d{0,5}$/.test(text)) return { count: Number(text) }
  const given = JSON.stringify(text)
  throw new CliError('usage', `--keep must be how many backups stay (14), or for how long (30d, 1y), not ${given}`)
}

async function prune(path: string, _own: object, command: Command): Promise<void> {
  const { keep, dryRun, json }: Flags = command.optsWithGlobals()
  const parent = resolve(path)
  const { backups, skipped } = await listBackups(parent)
  const old = chooseOld(backups, readKeep(keep), new Date())
  for (const one of old) if (!dryRun) await removeBackup(parent, one)
  const removed = old.map(({ name, takenAt }) => ({ name, takenAt: new Date(takenAt).toISOString() }))
  if (json) return printJson({ kept: backups.length - old.length, removed, skipped })
  for (const { name, takenAt } of removed)
    print(`${dryRun ? 'would remove' : 'removed'}  ${join(parent, name)}  ${takenAt}`)
  for (const reason of skipped) note(`left alone: ${reason}`)
  note(`${some(backups.length - old.length, 'backup')} kept`)
}

export function define(backup: Command): void {
  const command = backup
    .command('prune')
    .summary('Remove old backups that lie side by side')
    .description(
      'Remove the old ones of the backups that are in the directories of a directory, one each. The newest always stays, and so ' +
        'does everything that is not a whole backup. A single backup has no old state: see docs/backup.md.',
    )
    .argument('<dir>', 'directory in which the backups are')
    .requiredOption('--keep <n|duration>', 'how many backups stay (14), or for how long (30d, 1y)')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .action(prune)
  finish(command, ['backup prune /mnt/backups --keep 14', 'backup prune /mnt/backups --keep 90d --dry-run'])
}
