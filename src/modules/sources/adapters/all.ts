import { dataParts } from '../../../core/modules.ts'
import type { LiveSource } from '../schemas/sources.ts'
import type { Adapter } from './adapter.ts'
import { csvAdapter } from './csv-map/map.ts'
import type { CsvMap } from './csv-map/schema.ts'
import type { Pull } from './pull.ts'

/** The connectors that read documents of other systems. */
export type Connectors = {
  /** Systems whose documents are mapped by code. */
  adapters?: readonly Adapter[]
  /** Adapters that are configured by a map. */
  mapAdapters?: Record<string, (map: CsvMap) => Adapter>
  /** Systems whose sales are pulled continuously. */
  pulls?: Partial<Record<LiveSource, Pull>>
}

declare module '../../../core/modules.ts' {
  interface ModuleData {
    connectors?: Connectors
  }
}

const connectors = () => dataParts().flatMap((part) => part.connectors ?? [])

/** Returns the adapters of systems whose documents are mapped by code, by the name of the system. */
export const listAdapters = (): ReadonlyMap<string, Adapter> =>
  new Map(connectors().flatMap(({ adapters = [] }) => adapters.map((adapter) => [adapter.name, adapter])))

/** Returns the adapters that are configured by a map: CSV, and those that connectors add. */
export const listMapAdapters = (): ReadonlyMap<string, (map: CsvMap) => Adapter> =>
  new Map([['csv', csvAdapter], ...connectors().flatMap(({ mapAdapters = {} }) => Object.entries(mapAdapters))])

/** Returns the names of systems for `--from`, those with a map first. */
export const listSourceNames = (): string[] => [...listMapAdapters().keys(), ...listAdapters().keys()]

export const findPull = (name: string): Pull | undefined =>
  connectors()
    .flatMap(({ pulls = {} }) => Object.entries(pulls))
    .find(([known]) => known === name)?.[1]
