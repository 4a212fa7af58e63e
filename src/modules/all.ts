import type { Module } from '../core/modules.ts'

/**
 * A module, the modules it needs, and the names of its events, records and scopes, which are refused while it is off. A
 * module that is off is not loaded.
 */
type Listed = { name: string; needs: readonly string[]; names?: readonly string[]; load: () => Promise<Module> }

/** The modules around the core, each after the modules it needs. No other list names them. */
export const modules: readonly Listed[] = [
  {
    name: 'figures',
    needs: [],
    names: ['day.completed', 'day.revised', 'device.status'],
    load: async () => (await import('./figures/module.ts')).module,
  },
  {
    name: 'books',
    needs: ['figures'],
    names: ['books', 'accounts.updated', 'batch.created'],
    load: async () => (await import('./books/module.ts')).module,
  },
  {
    name: 'proofs',
    needs: ['books'],
    names: ['closing.created', 'checkpoint.created'],
    load: async () => (await import('./proofs/module.ts')).module,
  },
  { name: 'search', needs: [], load: async () => (await import('./search/module.ts')).module },
  {
    name: 'operations',
    needs: ['figures', 'search'],
    load: async () => (await import('./operations/module.ts')).module,
  },
  {
    name: 'backup',
    needs: ['operations'],
    load: async () => (await import('./backup/module.ts')).module,
  },
  {
    name: 'exports',
    needs: ['proofs', 'backup'],
    load: async () => (await import('./exports/module.ts')).module,
  },
  {
    name: 'e-reporting',
    needs: ['figures'],
    load: async () => (await import('./e-reporting/module.ts')).module,
  },
  {
    name: 'sources',
    needs: ['figures'],
    names: ['source.differs', 'ticket', 'closing'],
    load: async () => (await import('./sources/module.ts')).module,
  },
  {
    name: 'connectors',
    needs: ['sources'],
    load: async () => (await import('../../connectors/module.ts')).module,
  },
  { name: 'guides', needs: [], load: async () => (await import('./guides/module.ts')).module },
  {
    name: 'warnings',
    needs: [],
    load: async () => (await import('./warnings/module.ts')).module,
  },
  {
    name: 'console',
    needs: [],
    load: async () => (await import('./console/module.ts')).module,
  },
  {
    name: 'simulator',
    needs: ['console'],
    load: async () => (await import('../../simulator/module.ts')).module,
  },
]

/** The modules that `TILLGATE_MODULES` chooses. `fault` is a sentence about an invalid choice. */
export type Choice = { on: readonly Listed[]; off: readonly Listed[]; fault?: string }

/** Reads names separated by commas, or `none`; undefined and empty choose all. */
export function chooseModules(text: string | undefined): Choice {
  const names = (text ?? '').split(',').flatMap((name) => name.trim() || [])
  if (names.length === 0) return { on: modules, off: [] }
  const wanted = names.length === 1 && names[0] === 'none' ? [] : names
  const on = modules.filter(({ name }) => wanted.includes(name))
  const off = modules.filter(({ name }) => !wanted.includes(name))
  const unknown = wanted.find((name) => !modules.some((module) => module.name === name))
  if (unknown !== undefined) {
    const known = modules.map(({ name }) => name).join(', ')
    return {
      on: [],
      off: modules,
      fault: `TILLGATE_MODULES: ${JSON.stringify(unknown)} is not a module: use ${known}, or none`,
    }
  }
  for (const { name, needs } of on) {
    const missing = needs.find((need) => !wanted.includes(need))
    if (missing !== undefined) {
      return { on: [], off: modules, fault: `TILLGATE_MODULES: ${name} requires ${missing}: add it, or remove ${name}` }
    }
  }
  return { on, off }
}

/** Loads the modules that are on. Modules that are off are not loaded. */
export async function loadModules({ on, off }: Choice) {
  return {
    on: await Promise.all(on.map(({ load }) => load())),
    off: off.map(({ names = [], ...module }) => ({ ...module, names })),
  }
}
