import type { CommandEntry, Module } from '../modules.ts'
import type { CommandGroup } from './terminal/program.ts'

/** Commands of the core, in the groups of `--help`. */
const coreCommands: Record<string, readonly CommandEntry[]> = {
  Run: [
    { name: 'serve', summary: 'Serve the API and deliver webhooks', isAlone: true, load: () => import('./serve.ts') },
    {
      name: 'migrate',
      summary: 'Update the tables of the database',
      isAlone: true,
      load: () => import('./migrate.ts'),
    },
  ],
  'Set up': [
    { name: 'location', summary: 'Create, update and list locations', load: () => import('./locations.ts') },
    {
      name: 'key',
      summary: 'Create, list, replace and revoke API keys',
      isAlone: true,
      load: () => import('./keys.ts'),
    },
  ],
  Data: [{ name: 'import', summary: 'Store records from a file', load: () => import('./import.ts') }],
}

/** Returns the commands of the core and of these modules, in the groups of `--help`. */
export const commandGroups = (modules: readonly Module[]): CommandGroup[] =>
  Object.entries(coreCommands).map(([group, commands]) => ({
    group,
    commands: [...commands, ...modules.flatMap((module) => module.commands?.[group] ?? [])],
  }))
