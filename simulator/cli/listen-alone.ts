// `tillgate listen` as a separate program: a partner has the address of a server, and no installation.
import { Command, CommanderError } from 'commander'
import { Interrupted } from '../../src/core/server/errors.ts'
import { define } from './listen.ts'
import { reachLoopbackDirectly } from '../../src/core/cli/terminal/loopback.ts'
import { reportError } from '../../src/core/cli/terminal/errors.ts'
import { watchStandardStreams } from '../../src/core/cli/terminal/standard-streams.ts'

watchStandardStreams()
reachLoopbackDirectly(process.env)
const command = new Command('tillgate-listen').exitOverride().configureOutput({ outputError: () => {} })
define(command, 'node tillgate-listen.mjs')
command.parseAsync(process.argv.slice(2), { from: 'user' }).catch((error: unknown) => {
  if (error instanceof CommanderError && error.exitCode === 0) return
  // The process ends itself by the signal, so that the shell sees that a signal ended the program.
  if (error instanceof Interrupted) process.kill(process.pid, error.signal)
  else reportError(error, process.argv.includes('--json'))
  process.exitCode = 2
})
