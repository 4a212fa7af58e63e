// No top-level `await`, because this file is published as CommonJS.
import { useModules } from './core/modules.ts'
import { chooseModules, loadModules } from './modules/all.ts'

/**
 * Returns the modules that the flag names, else the variable. Read first, because the core asks which modules are on.
 */
function wantedModules(args: readonly string[]): string | undefined {
  const flag = args.find((arg) => arg.startsWith('--modules='))
  const at = args.indexOf('--modules')
  return flag?.slice('--modules='.length) ?? (at === -1 ? process.env['TILLGATE_MODULES'] : args[at + 1])
}

async function main(args: readonly string[]): Promise<number> {
  const choice = chooseModules(wantedModules(args))
  const { on, off } = await loadModules(choice)
  useModules(on, off)
  const { runProgram } = await import('./core/cli/terminal/program.ts')
  const { commandGroups } = await import('./core/cli/commands.ts')
  return runProgram(args, commandGroups(on), choice.fault)
}

void main(process.argv.slice(2)).then((code) => (process.exitCode = code))
