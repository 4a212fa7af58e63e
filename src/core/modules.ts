import type { Command } from 'commander'
import type { TSchema } from 'typebox'
import type { Setting } from './settings/setting.ts'

/** A kind of journal entry that a module writes: its shape, its events with a summary each, and a sample. */
export type EntryKind = {
  schema: TSchema
  /** The member of `data` that identifies the entry; null if there is only one. */
  key: string | null
  events: Record<string, string>
  /** Makes sample `data` for an event of this kind. */
  sample(event: string): unknown
}

/** A command as `--help` lists it; it is loaded only when it is run. */
export type CommandEntry = {
  name: string
  summary: string
  /** The command needs no data parts of modules, so they are not loaded, which saves 0.3 s of CPU time. */
  isAlone?: true
  /** `define` adds either subcommands or arguments, options and an action to the command. */
  load: () => Promise<{ define(command: Command): void | Promise<void> }>
}

/** What a module does with stored data, in servers and commands. Each member is declared in the file that calls it. */
// oxlint-disable-next-line typescript/no-empty-object-type -- members are declared where they are used
export interface ModuleData {}

/** What a module adds to a server; each member is declared where it is used. */
// oxlint-disable-next-line typescript/no-empty-object-type -- members are declared where they are used
export interface ModuleServer {}

/**
 * An optional part of Tillgate: one folder and this object. Every start loads the object, so its larger members are
 * loaded only when they are used.
 */
export type Module = {
  name: string
  settings?: Record<string, Setting>
  /** False if servers do not read the settings, only commands. */
  serves?: false
  /** Kinds of journal entries that it writes. */
  kinds?: Record<string, EntryKind>
  /** Types of records that a till may push in addition to those of the core, with their schemas. */
  records?: Record<string, { schema: TSchema }>
  /** Types of pushed records that are converted to a core record, with their schemas. */
  pushed?: Record<string, TSchema>
  /** Scopes of API keys that only operations of the module require. */
  scopes?: readonly string[]
  warnings?: Record<string, readonly [title: string, rule: string, help: string]>
  /** Commands, by their group in `--help`. */
  commands?: Record<string, readonly CommandEntry[]>
  data?: () => Promise<ModuleData>
  server?: () => Promise<ModuleServer>
}

const on: Module[] = []
let isRead = false

/** A module that is off: its name, the names of its events, records and scopes, and how to load it. */
export type OffModule = { name: string; names: readonly string[]; load: () => Promise<Module> }

let off: readonly OffModule[] = []

/**
 * Switches `modules` on, each listed after the modules it needs; `others` are the modules that stay off. Must run
 * before any other function of this file.
 */
export function useModules(modules: readonly Module[], others: readonly OffModule[]): void {
  if (isRead) throw new Error('modules must be switched on before the lists of the core are made')
  on.push(...modules)
  off = others
}

export function modules(): readonly Module[] {
  isRead = true
  return on
}

const loadOff = (): Promise<Module[]> => Promise.all(off.map(({ load }) => load()))

/** Returns the name of the module that is off and matches; undefined if there is none. */
export async function moduleWith(has: (module: Module) => boolean): Promise<string | undefined> {
  return (await loadOff()).find(has)?.name
}

export const offModules = (): readonly string[] => off.map(({ name }) => name)

/** Returns a sentence naming the module that is off and owns this event, record or scope; undefined if none does. */
export function offSentence(name: string): string | undefined {
  const module = off.find(({ names }) => names.includes(name))
  return module && `${name} belongs to the module ${module.name}, which is off (TILLGATE_MODULES)`
}

let data: readonly ModuleData[] | undefined
let server: readonly ModuleServer[] | undefined

/** Loads the data parts of the modules that are on, once. */
export async function loadData(): Promise<void> {
  data ??= await Promise.all(modules().flatMap((module) => (module.data ? [module.data()] : [])))
}

/** Loads the data parts of all modules, including those that are off: derived data is always written. */
export async function loadAllData(): Promise<readonly ModuleData[]> {
  await loadData()
  const others = await loadOff()
  return [...dataParts(), ...(await Promise.all(others.flatMap((module) => (module.data ? [module.data()] : []))))]
}

/** Loads the server parts of the modules that are on, once. */
export async function loadServer(): Promise<void> {
  await loadData()
  server ??= await Promise.all(modules().flatMap((module) => (module.server ? [module.server()] : [])))
}

const notLoaded = (what: string) => new Error(`${what} of modules are not loaded yet`)

/** Returns the data parts of the modules that are on, each after the parts it needs. */
export function dataParts(): readonly ModuleData[] {
  if (!data) throw notLoaded('data parts')
  return data
}

/** Returns the server parts of the modules that are on, each after the parts it needs. */
export function serverParts(): readonly ModuleServer[] {
  if (!server) throw notLoaded('server parts')
  return server
}
