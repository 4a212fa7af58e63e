import cluster from 'node:cluster'
import { Command, CommanderError } from 'commander'
import { CliError, Interrupted } from '../../server/errors.ts'
import './caller.ts'
import { reportError, type ExitCode } from './errors.ts'
import { reachLoopbackDirectly } from './loopback.ts'
import { note } from './output.ts'
import { joinService } from './service.ts'
import { outputFailure, watchStandardStreams } from './standard-streams.ts'
import { readVersion } from '../../server/version.ts'

export type CommandModule = {
  /** Adds arguments, options and the action to the command, or its subcommands. */
  define(command: Command): void
}

/** A command as `--help` lists it; its module is loaded only when it is asked for. */
export type CommandEntry = { name: string; summary: string; load: () => Promise<CommandModule> }

export type CommandGroup = { group: string; commands: CommandEntry[] }

const description = `Self-hosted point-of-sale data API.

Tills push what happens in a restaurant; partners pull it over HTTP or are called by webhooks.`

const footer = `
Exit codes: 0 success, 1 a negative result, 2 wrong usage or an error.
Every command has --help with examples, and --json.`

/** Returns the command that the arguments name; also for `tillgate help <command>`. */
function pick(args: readonly string[]): string | undefined {
  return args[0] === 'help' ? args[1] : args[0]
}

/** A misspelt variable would be passed over in silence. The workers of a server have the variables of the first process. */
async function warnOfVariables(): Promise<void> {
  if (cluster.isWorker) return
  const { unknownVariables } = await import('./variables.ts')
  for (const sentence of unknownVariables(process.env)) note(`warning: ${sentence}`)
}

async function build(args: readonly string[], groups: readonly CommandGroup[]): Promise<Command> {
  const program = new Command('tillgate')
    .description(description)
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .addHelpText('after', footer)
    .hook('preAction', warnOfVariables)
  const picked = pick(args)
  for (const { group, commands } of groups) {
    program.commandsGroup(`${group}:`)
    for (const { name, summary, load } of commands) {
      const command = program.command(name).summary(summary).description(summary)
      if (name === picked) (await load()).define(command)
    }
  }
  program.commandsGroup('More:').helpCommand('help [command]', 'Show the help of a command')
  return program
}

/** Bytes that are no UTF-8 arrive as a sign that stands for them all: what was meant would be lost without a word. */
function requireText(args: readonly string[]): void {
  const broken = args.find((arg) => arg.includes('\ufffd'))
  if (broken === undefined) return
  throw new CliError('usage', `${JSON.stringify(broken)} is not UTF-8: use a terminal and a script in UTF-8`)
}

/** Says whose `--help` lists what there is, where the library found nothing near that could be meant. */
function pointToHelp(error: CommanderError, program: Command, args: readonly string[]): void {
  const isUnknown = error.code === 'commander.unknownCommand' || error.code === 'commander.unknownOption'
  if (!isUnknown || error.message.includes('(Did you mean ')) return
  let at = program
  const path = ['tillgate']
  for (const arg of args) {
    const command = at.commands.find((one) => one.name() === arg)
    if (command === undefined) break
    at = command
    path.push(arg)
  }
  error.message += `: see ${path.join(' ')} --help`
}

/** Runs what the arguments name. `--help` and `--version` arrive as errors of the library, with exit code 0. */
async function parse(program: Command, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    pointToHelp(error, program, args)
    throw error
  }
}

/** Runs the command that the arguments name and returns the exit code; a command sets 1 by `process.exitCode`. */
export async function runProgram(args: readonly string[], groups: readonly CommandGroup[]): Promise<ExitCode> {
  watchStandardStreams()
  reachLoopbackDirectly(process.env)
  try {
    requireText(args)
    joinService(pick(args), args, process.env)
    const program = await build(args, groups)
    await parse(program, args)
    const failure = await outputFailure()
    if (failure) throw new CliError('output_failed', `standard output cannot be written: ${failure.message}`)
    return process.exitCode === 1 ? 1 : 0
  } catch (error) {
    // Help has been printed instead of an error.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2
    // The shell learns that a signal ended the command, and ends a script too.
    if (error instanceof Interrupted) process.kill(process.pid, error.signal)
    else reportError(error, args.includes('--json'))
    return 2
  }
}
