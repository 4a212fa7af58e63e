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
    .summary('Print the public key that verifies backups')
    .description(
      'Print the public key of this installation, which signs its backups. Store it separately from the backup: ' +
        '`backup verify --signer` and `restore --signer` use it to prove that nobody else wrote or changed the backup.',
    )
    .action(run)
  finish(command, ['backup signer'])
}
