import cluster from 'node:cluster'
import { Command, CommanderError } from 'commander'
import { CliError, Interrupted } from '../../server/errors.ts'
import './caller.ts'
import { reportError, type ExitCode } from './errors.ts'
import { reachLoopbackDirectly } from './loopback.ts'
import { note } from './output.ts'
import { endScratches } from './scratch.ts'
import { joinService } from './service.ts'
import { outputFailure, watchStandardStreams } from './standard-streams.ts'
import { loadData, moduleWith, type CommandEntry, type Module } from '../../modules.ts'
import { readVersion } from '../../server/version.ts'

export type CommandGroup = { group: string; commands: CommandEntry[] }

const description = `Self-hosted point-of-sale data API.

Tills push orders and reports; partners read them over HTTP or receive them through webhooks.`

const footer = `
Exit codes: 0 success, 1 a negative result, 2 wrong usage or an error.
Every command has --help with examples, and --json.`

/** Turns `help books batch` into `books batch --help`. */
function plain(args: readonly string[]): readonly string[] {
  if (args[0] !== 'help') return args
  return [...args.slice(1).filter((arg) => arg !== 'help'), '--help']
}

/** Warns about misspelled variables, which are otherwise ignored. Workers have the same variables and do not warn. */
async function warnOfVariables(): Promise<void> {
  if (cluster.isWorker) return
  const { unknownVariables } = await import('./variables.ts')
  for (const sentence of await unknownVariables(process.env)) note(`warning: ${sentence}`)
}

async function build(args: readonly string[], groups: readonly CommandGroup[]): Promise<Command> {
  const program = new Command('tillgate')
    .description(description)
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    // The library wraps only at 40 columns or more by default; beside the widest options, fewer are left.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .addHelpText('after', footer)
    .hook('preAction', warnOfVariables)
  const [picked] = args
  for (const { group, commands } of groups) {
    program.commandsGroup(`${group}:`)
    for (const { name, summary, load, isAlone } of commands) {
      const command = program.command(name).summary(summary).description(summary)
      if (name === picked) {
        if (!isAlone) await loadData()
        await (await load()).define(command)
      }
    }
  }
  program.commandsGroup('More:').helpCommand('help [command]', 'Show the help of a command')
  return program
}

/** Throws for arguments that are not UTF-8: their bytes were replaced, so the intended text would be lost silently. */
function requireText(args: readonly string[]): void {
  const broken = args.find((arg) => arg.includes('\ufffd'))
  if (broken === undefined) return
  throw new CliError('usage', `${JSON.stringify(broken)} is not UTF-8: use UTF-8 in the terminal and in scripts`)
}

/** Returns the command that the first words name, and the first word that does not name a command. */
function follow(program: Command, args: readonly string[]): { at: Command; path: string; unknown: string | undefined } {
  let at = program
  const path = ['tillgate']
  for (const arg of args) {
    const command = at.commands.find((one) => one.name() === arg)
    if (command === undefined) {
      const isCommand = at.commands.length > 0 && !arg.startsWith('-')
      return { at, path: path.join(' '), unknown: isCommand ? arg : undefined }
    }
    at = command
    path.push(arg)
  }
  return { at, path: path.join(' '), unknown: undefined }
}

/** Points to the `--help` that lists the alternatives, if the library found no similar word. */
function pointToHelp(error: CommanderError, program: Command, args: readonly string[]): void {
  const { path, unknown } = follow(program, args)
  // No command is named, so the first word was taken for an argument of the default command.
  const isOfDefault = error.code === 'commander.excessArguments' && unknown !== undefined
  if (isOfDefault) error.message = `unknown command '${unknown}'`
  const isUnknown = error.code === 'commander.unknownCommand' || error.code === 'commander.unknownOption'
  if (!isOfDefault && (!isUnknown || error.message.includes('(Did you mean '))) return
  error.message += `: see ${path} --help`
}

/** Throws `CliError` for `--help` of an unknown command: the library would show the help of the parent command. */
function requireKnown(program: Command, args: readonly string[]): void {
  if (!args.some((arg) => arg === '--help' || arg === '-h')) return
  const { at, path, unknown } = follow(program, args)
  if (unknown === undefined || at.registeredArguments.length > 0) return
  throw new CliError('usage', `unknown command '${unknown}': see ${path} --help`)
}

/** Returns a message that names the module, if the unknown option belongs to a module that is off. */
async function offOption({ code, message }: CommanderError): Promise<string | undefined> {
  const [, flag] = /'(--[\w-]+)/.exec(code === 'commander.unknownOption' ? message : '') ?? []
  if (flag === undefined) return undefined
  const off = await moduleWith(({ settings = {} }) =>
    Object.values(settings).some((setting) => setting.flag.split(' ', 1)[0] === flag),
  )
  return off && `${flag} belongs to the module ${off}, which is off: add it to TILLGATE_MODULES`
}

/** Runs the command in the arguments. `--help` and `--version` arrive as errors of the library, with exit code 0. */
async function parse(program: Command, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    const off = await offOption(error)
    if (off !== undefined) throw new CliError('module_off', off)
    pointToHelp(error, program, args)
    throw error
  }
}

/** Throws `CliError` for a command of a module that is off. */
async function refuseOff(picked: string | undefined, groups: readonly CommandGroup[]): Promise<void> {
  if (picked === undefined || picked.startsWith('-')) return
  if (groups.some(({ commands }) => commands.some(({ name }) => name === picked))) return
  const has = ({ commands = {} }: Module) =>
    Object.values(commands).some((of) => of.some(({ name }) => name === picked))
  const off = await moduleWith(has)
  if (off === undefined) return
  throw new CliError('module_off', `${picked} belongs to the module ${off}, which is off: add it to TILLGATE_MODULES`)
}

/** Runs the command in the arguments and returns the exit code; a command sets exit code 1 with `process.exitCode`. */
export async function runProgram(
  given: readonly string[],
  groups: readonly CommandGroup[],
  fault?: string,
): Promise<ExitCode> {
  const args = plain(given)
  watchStandardStreams()
  reachLoopbackDirectly(process.env)
  try {
    requireText(args)
    joinService(args[0], args, process.env)
    if (fault !== undefined) throw new CliError('usage', fault)
    await refuseOff(args[0], groups)
    const program = await build(args, groups)
    requireKnown(program, args)
    await parse(program, args)
    const failure = await outputFailure()
    if (failure) throw new CliError('output_failed', `standard output cannot be written: ${failure.message}`)
    return process.exitCode === 1 ? 1 : 0
  } catch (error) {
    // Help has been printed instead of an error.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2
    // Ends this process by the same signal, so that a shell also ends the script that runs it.
    if (error instanceof Interrupted) {
      endScratches()
      process.kill(process.pid, error.signal)
    } else reportError(error, args.includes('--json'))
    return 2
  }
}
