import type { FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import type { CommandEntry } from './cli/terminal/program.ts'
import type { Context } from './http/context.ts'
import type { App } from './http/server-types.ts'
import type { Log } from './server/log.ts'
import type { DocumentText } from './domain/documents/document-text.ts'
import type { Resource } from './contract/resource.ts'
import type { RecordReader } from './ingest/made-records.ts'
import type { Warning } from './schemas/warnings.ts'
import type { Sql, Pool } from './store/db/database.ts'
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

/** A kind of record that a till may push beyond the core, which the latest state of the location has. */
export type RecordKind = { schema: TSchema }

/** What a module does with stored data, in a server and in a command. */
export type ModuleData = {
  /** How its records are stored. */
  resources?: readonly Resource[]
  /** Reads records that become one of a resource of the core. */
  reader?: RecordReader
  /** Writes what follows from an entry of a kind, when a journal is replayed. */
  replay?: Record<string, (sql: Sql, locationId: string, entry: { seq: number; document: string }) => Promise<void>>
  /** Warns of a version of a resource that replaces the one before. */
  warnOfReplaced?(type: string, document: DocumentText, before: DocumentText): Warning | undefined
  /** Deletes what is too old. `noticesFrom`: notices that are older are deleted. */
  expire?(pool: Pool, times: { now: Date; noticesFrom: Date }): Promise<void>
  /** Names of payments that are cash at a location. */
  cashNames?(sql: Sql, locationId: string): Promise<string[]>
  /** The settings of a location changed: what was made by them is looked at again. */
  settingsChanged?(pool: Pool, locationId: string, now: Date): Promise<unknown>
}

/** What a module adds to a server. */
export type ModuleServer = {
  /** Makes the module's part of the context, from the parts before it. */
  open?(context: Context, log?: Pick<Log, 'warn'>): Record<string, unknown>
  /** Ends what `open` made. */
  close?(context: Context): void | Promise<void>
  routes?(app: App, context: Context, version: string): void
  /** Shapes of the OpenAPI document, by name. */
  schemas?: Record<string, TSchema>
  /** What runs in the role of deliveries, from `start` to `stop`. */
  service?(context: Context, log: Log): Service
  /** Writes what is only in memory. */
  flush?(context: Context): Promise<unknown>
  /** Throws where a caller wants a range only as a whole and something of it is missing. */
  beforeRead?(context: Context, request: FastifyRequest, range: ReadRange): Promise<void>
  /** Returns until when everything of a location has arrived, at a number of its journal; null while it is not known. */
  completeUntil?: {
    at(context: Context, locationId: string, sequence: number): Date | null
    warm(context: Context, locationId: string): Promise<void> | undefined
  }
  /** Registers metrics of the installation. `onError` is told what could not be read. */
  measure?(registry: Registry, about: { pool: Pool; clock: () => Date; onError: (error: unknown) => undefined }): void
}

export type Service = { start(): void; stop(): Promise<void> }

/** Days of a location, or moments. */
export type ReadRange = { since?: Date; until?: Date } | { from: string; to: string }

/**
 * A capability around the core: one folder and this object. It is loaded at every start, so it names its parts and loads
 * them only when they are used.
 */
export type Module = {
  name: string
  settings?: Record<string, Setting>
  kinds?: Record<string, EntryKind>
  records?: Record<string, RecordKind>
  /** Records that become one of a resource, by their type, with the shape in which they are pushed. */
  pushed?: Record<string, TSchema>
  /** Codes of warnings: title, rule, help. */
  warnings?: Record<string, readonly [title: string, rule: string, help: string]>
  commands?: Record<string, readonly CommandEntry[]>
  data?: () => Promise<ModuleData>
  server?: () => Promise<ModuleServer>
}

const on: Module[] = []
let isRead = false

/** Switches modules on, each behind those it needs. Comes before anything asks for them. */
export function useModules(modules: readonly Module[]): void {
  if (isRead) throw new Error('modules are switched on before the lists of the core are made')
  on.push(...modules)
}

/** The modules that are on. */
export function modules(): readonly Module[] {
  isRead = true
  return on
}

let data: readonly ModuleData[] | undefined
let server: readonly ModuleServer[] | undefined

/** Loads what modules do with stored data, once. */
export async function loadData(): Promise<void> {
  data ??= await Promise.all(modules().flatMap((module) => module.data?.() ?? []))
}

/** Loads what modules add to a server, once. */
export async function loadServer(): Promise<void> {
  await loadData()
  server ??= await Promise.all(modules().flatMap((module) => module.server?.() ?? []))
}

const notLoaded = (what: string) => new Error(`${what} of modules are not loaded yet`)

export function dataParts(): readonly ModuleData[] {
  if (!data) throw notLoaded('data parts')
  return data
}

export function serverParts(): readonly ModuleServer[] {
  if (!server) throw notLoaded('server parts')
  return server
}

