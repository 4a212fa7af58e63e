import { dataParts } from '../../../core/modules.ts'
import type { LiveSource } from '../schemas/sources.ts'
import type { Adapter } from './adapter.ts'
import { csvAdapter } from './csv-map/map.ts'
import type { CsvMap } from './csv-map/schema.ts'
import type { Pull } from './pull.ts'

/** What reads documents of other systems. */
export type Connectors = {
  /** The systems whose documents become tickets by code. */
  adapters?: readonly Adapter[]
  /** What is read by a map that a person writes. */
  mapAdapters?: Record<string, (map: CsvMap) => Adapter>
  /** The systems whose sales are read as they come. */
  pulls?: Partial<Record<LiveSource, Pull>>
}

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /** Other systems whose documents are read. */
    connectors?: Connectors
  }
}

const connectors = () => dataParts().flatMap((part) => part.connectors ?? [])

/** The systems whose documents become tickets by code, by their names. */
export const listAdapters = (): ReadonlyMap<string, Adapter> =>
  new Map(connectors().flatMap(({ adapters = [] }) => adapters.map((adapter) => [adapter.name, adapter])))

/** What is read by a map that a person writes: a CSV, and what connectors add. */
export const listMapAdapters = (): ReadonlyMap<string, (map: CsvMap) => Adapter> =>
  new Map([['csv', csvAdapter], ...connectors().flatMap(({ mapAdapters = {} }) => Object.entries(mapAdapters))])

/** The systems as `--from` names them, those of a map first. */
export const listSourceNames = (): string[] => [...listMapAdapters().keys(), ...listAdapters().keys()]

export const findPull = (name: string): Pull | undefined =>
  connectors()
    .flatMap(({ pulls = {} }) => Object.entries(pulls))
    .find(([known]) => known === name)?.[1]
