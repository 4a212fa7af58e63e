// `tillgate listen` as a program of its own: a partner has the address of a server, and no installation.
import { Command, CommanderError } from 'commander'
import { define } from './listen.ts'
import { reachLoopbackDirectly } from './terminal/loopback.ts'
import { reportError } from './terminal/errors.ts'
import { watchStandardStreams } from './terminal/standard-streams.ts'

watchStandardStreams()
reachLoopbackDirectly(process.env)
const command = new Command('tillgate-listen').exitOverride().configureOutput({ outputError: () => {} })
define(command, 'node tillgate-listen.mjs')
command.parseAsync(process.argv.slice(2), { from: 'user' }).catch((error: unknown) => {
  if (error instanceof CommanderError && error.exitCode === 0) return
  reportError(error, process.argv.includes('--json'))
  process.exitCode = 2
})
