import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { chooseOld, listBackups, removeBackup, type Keep } from '../../format/prune.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { readDuration } from '../../../../core/cli/keys.ts'
import { finish } from '../../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../../core/cli/terminal/output.ts'

type PruneFlags = { keep?: string; dryRun?: true; json?: true }

/** Reads a number of backups, or their maximum age. */
function readKeep(text = ''): Keep {
  const ms = readDuration(text)
  if (ms !== undefined && ms > 0) return { ms }
  if (/^[1-9]\d{0,5}$/.test(text)) return { count: Number(text) }
  const given = JSON.stringify(text)
  throw new CliError(
    'usage',
    `--keep must be the number of backups to keep (14), or their maximum age (30d, 1y), not ${given}`,
  )
}

async function prune(path: string, _own: object, command: Command): Promise<void> {
  const { keep, dryRun, json }: PruneFlags = command.optsWithGlobals()
  const parent = resolve(path)
  const { backups, skipped } = await listBackups(parent)
  const old = chooseOld(backups, readKeep(keep), new Date())
  for (const one of old) if (!dryRun) await removeBackup(parent, one)
  const removed = old.map(({ name, takenAt }) => ({ name, takenAt: new Date(takenAt).toISOString() }))
  if (json) return printJson({ kept: backups.length - old.length, removed, skipped })
  for (const { name, takenAt } of removed)
    print(`${dryRun ? 'would remove' : 'removed'}  ${join(parent, name)}  ${takenAt}`)
  for (const reason of skipped) note(`skipped: ${reason}`)
  note(`${some(backups.length - old.length, 'backup')} kept`)
}

export function define(backup: Command): void {
  const command = backup
    .command('prune')
    .summary('Remove old backups from a directory')
    .description(
      'Remove old backups from a directory with one backup per subdirectory. The newest backup and directories that are ' +
        'not complete backups are kept. A single backup has no older state to remove: see docs/operate/backup.md.',
    )
    .argument('<dir>', 'directory that contains the backups')
    .requiredOption('--keep <n|duration>', 'number of backups to keep (14), or their maximum age (30d, 1y)')
    .option('--dry-run', 'show what would be removed, without removing it')
    .action(prune)
  finish(command, ['backup prune /mnt/backups --keep 14', 'backup prune /mnt/backups --keep 90d --dry-run'])
}
