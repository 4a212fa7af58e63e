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
  /** `define` adds arguments, options and the action to the command, or its subcommands. */
  load: () => Promise<{ define(command: Command): void }>
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
  /** Codes of warnings. */
  warnings?: Record<string, readonly [title: string, rule: string, help: string]>
  /** Commands, by the group of `--help`. */
  commands?: Record<string, readonly CommandEntry[]>
  data?: () => Promise<ModuleData>
  server?: () => Promise<ModuleServer>
}

const on: Module[] = []
let isRead = false
let loadOff: () => Promise<readonly Module[]> = async () => []

/**
 * Switches modules on, each behind those it needs. Comes before anything asks for them. `off` loads the others, for those
 * who ask for what belongs to them.
 */
export function useModules(modules: readonly Module[], off: () => Promise<readonly Module[]>): void {
  if (isRead) throw new Error('modules are switched on before the lists of the core are made')
  on.push(...modules)
  loadOff = off
}

/** The modules that are on. */
export function modules(): readonly Module[] {
  isRead = true
  return on
}

/** Returns the name of the module that is off and has this; undefined where none has. */
export async function moduleWith(has: (module: Module) => boolean): Promise<string | undefined> {
  return (await loadOff()).find(has)?.name
}

let data: readonly ModuleData[] | undefined
let server: readonly ModuleServer[] | undefined

/** Loads what modules do with stored data, once. */
export async function loadData(): Promise<void> {
  data ??= await Promise.all(modules().flatMap((module) => (module.data ? [module.data()] : [])))
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
