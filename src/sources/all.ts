import type { Adapter } from './adapter.ts'
import { csvAdapter } from './csv-map/map.ts'
import type { CsvMap } from './csv-map/schema.ts'
import { dsfinvk } from './dsfinvk/map.ts'
import { lightspeedK } from './lightspeed-k/map.ts'
import { loyverse } from './loyverse/map.ts'
import { singerAdapter } from './singer/read.ts'
import { square } from './square/map.ts'
import { sumup } from './sumup/map.ts'
import { toast } from './toast/map.ts'

/** The systems whose documents become tickets by code; a CSV does by a map. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [square, toast, sumup, lightspeedK, loyverse, dsfinvk].map((adapter) => [adapter.name, adapter]),
)

/** What is read by a map that a person writes. */
export const mapAdapters: ReadonlyMap<string, (map: CsvMap) => Adapter> = new Map([
  ['csv', csvAdapter],
  ['singer', singerAdapter],
])
