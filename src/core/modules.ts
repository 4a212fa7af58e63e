import type { Command } from 'commander'
import type { TSchema } from 'typebox'
import type { Setting } from './settings/setting.ts'

/** A kind of journal entry that a module writes: its shape, its events with a summary each, and a sample. */
export type EntryKind = {
  schema: TSchema
  /** The member of `data` that tells one from another; null: there is one only. */
  key: string | null
  events: Record<string, string>
  /** Makes fake `data` of an event of this kind. */
  sample(event: string): unknown
}

/** A command as `--help` lists it; it is loaded only when it is asked for. */
export type CommandEntry = {
  name: string
  summary: string
  /** It uses nothing that modules do with stored data: that is not loaded, which takes a third of a second of the processor from sources. */
  isAlone?: true
  /** `define` adds arguments, options and the action to the command, or its subcommands. */
  load: () => Promise<{ define(command: Command): void | Promise<void> }>
}

/**
 * What a module does with stored data, in a server and in a command. Each member is declared by the file of the core, or
 * of a module, that calls it.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- members are declared where they are used
export interface ModuleData {}

/** What a module adds to a server; its members are declared where they are used. */
// oxlint-disable-next-line typescript/no-empty-object-type -- members are declared where they are used
export interface ModuleServer {}

/**
 * A capability around the core: one folder and this object. It is loaded at every start, so it names its parts and loads
 * them only when they are used.
 */
export type Module = {
  name: string
  settings?: Record<string, Setting>
  /** False where only commands read its settings. */
  serves?: false
  /** Kinds of journal entries that it writes. */
  kinds?: Record<string, EntryKind>
  /** Records that a till may push beyond those of the core, with their shapes. */
  records?: Record<string, { schema: TSchema }>
  /** Records that become one of the core, with the shapes in which they are pushed. */
  pushed?: Record<string, TSchema>
  /** Scopes of keys that only its operations ask for. */
  scopes?: readonly string[]
  /** Codes of warnings. */
  warnings?: Record<string, readonly [title: string, rule: string, help: string]>
  /** Commands, by the group of `--help`. */
  commands?: Record<string, readonly CommandEntry[]>
  data?: () => Promise<ModuleData>
  server?: () => Promise<ModuleServer>
}

const on: Module[] = []
let isRead = false

/** A module that is off: its name, the names of its events, records and scopes, and how it is loaded. */
export type OffModule = { name: string; names: readonly string[]; load: () => Promise<Module> }

let off: readonly OffModule[] = []

/** Switches modules on, each behind those it needs. Comes before anything asks for them. `others` are off. */
export function useModules(modules: readonly Module[], others: readonly OffModule[]): void {
  if (isRead) throw new Error('modules are switched on before the lists of the core are made')
  on.push(...modules)
  off = others
}

/** The modules that are on. */
export function modules(): readonly Module[] {
  isRead = true
  return on
}

const loadOff = (): Promise<Module[]> => Promise.all(off.map(({ load }) => load()))

/** Returns the name of the module that is off and has this; undefined where none has. */
export async function moduleWith(has: (module: Module) => boolean): Promise<string | undefined> {
  return (await loadOff()).find(has)?.name
}

/** The names of the modules that are off. */
export const offModules = (): readonly string[] => off.map(({ name }) => name)

/** Says whose an event, record or scope is that this server does not know because its module is off; undefined where it is nobody's. */
export function offSentence(name: string): string | undefined {
  const module = off.find(({ names }) => names.includes(name))
  return module && `${name} belongs to the module ${module.name}, which is off (TILLGATE_MODULES)`
}

let data: readonly ModuleData[] | undefined
let server: readonly ModuleServer[] | undefined

/** Loads what modules do with stored data, once. */
export async function loadData(): Promise<void> {
  data ??= await Promise.all(modules().flatMap((module) => (module.data ? [module.data()] : [])))
}

/** What all modules do with stored data, those that are off too: what follows from the journal is written whatever is on. */
export async function loadAllData(): Promise<readonly ModuleData[]> {
  await loadData()
  const others = await loadOff()
  return [...dataParts(), ...(await Promise.all(others.flatMap((module) => (module.data ? [module.data()] : []))))]
}

/** Loads what modules add to a server, once. */
export async function loadServer(): Promise<void> {
  await loadData()
  server ??= await Promise.all(modules().flatMap((module) => (module.server ? [module.server()] : [])))
}

const notLoaded = (what: string) => new Error(`${what} of modules are not loaded yet`)

/** What modules do with stored data, each behind those it needs. */
export function dataParts(): readonly ModuleData[] {
  if (!data) throw notLoaded('data parts')
  return data
}

/** What modules add to a server, each behind those it needs. */
export function serverParts(): readonly ModuleServer[] {
  if (!server) throw notLoaded('server parts')
  return server
}
