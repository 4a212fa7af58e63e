import type { Command } from 'commander'
import { getSigner } from '../../format/signing.ts'
import { withDatabase } from '../../../../core/cli/database.ts'
import { finish } from '../../../../core/cli/terminal/options.ts'
import { print, printJson } from '../../../../core/cli/terminal/output.ts'

async function run(_own: object, command: Command): Promise<void> {
  const flags: { json?: true } = command.optsWithGlobals()
  const signer = await withDatabase(flags, async ({ pool }) => (await getSigner(pool, new Date())).publicKey)
  if (flags.json) return printJson({ signer })
  print(signer)
}

export function define(backup: Command): void {
  const command = backup
    .command('signer')
    .summary('Print the key that proves who signed a backup')
    .description(
      'Print the public key with which this installation signs its backups. Write it down where the backup is not: ' +
        '`backup verify --signer` and `restore --signer` prove with it that nobody else wrote the backup or changed it.',
    )
    .action(run)
  finish(command, ['backup signer'])
}
