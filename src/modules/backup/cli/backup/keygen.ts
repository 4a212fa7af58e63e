import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { generateKey } from '../../format/age-seal.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { finish } from '../../../../core/cli/terminal/options.ts'
import { note, print, printJson } from '../../../../core/cli/terminal/output.ts'

async function run(file: string, _own: object, command: Command): Promise<void> {
  const { json }: { json?: true } = command.optsWithGlobals()
  const { identity, recipient } = await generateKey()
  try {
    // `wx` refuses to overwrite a file: an existing key may be the only key that opens a backup.
    await writeFile(file, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const [reason] = (error as Error).message.split(',', 1)
    throw new CliError('output_failed', `${file} cannot be written: ${reason}; name a new file`, { cause: error })
  }
  if (json) return printJson({ recipient, file })
  note(`the identity is in ${file}: keep it on another machine. Without it, the backups cannot be restored`)
  print(recipient)
}

export function define(backup: Command): void {
  const command = backup
    .command('keygen')
    .summary('Create a key to which backups can be encrypted')
    .description(
      'Write a new age identity to a file that only its owner can read, and print its recipient for `backup --recipient`. ' +
        'Same as `age-keygen -o <file>`.',
    )
    .argument('<file>', 'file to create; it must not exist')
    .action(run)
  finish(command, ['backup keygen identity.txt'])
}
