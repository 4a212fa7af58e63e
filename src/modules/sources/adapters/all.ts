import type { Adapter } from './adapter.ts'
import { csvAdapter } from './csv-map/map.ts'
import type { CsvMap } from './csv-map/schema.ts'
import { dsfinvk } from '../../../../connectors/dsfinvk/map.ts'
import { lightspeedK } from '../../../../connectors/lightspeed-k/map.ts'
import { loyverse } from '../../../../connectors/loyverse/map.ts'
import { singerAdapter } from '../../../../connectors/singer/read.ts'
import { square } from '../../../../connectors/square/map.ts'
import { sumup } from '../../../../connectors/sumup/map.ts'
import { toast } from '../../../../connectors/toast/map.ts'

/** The systems whose documents become tickets by code; a CSV does by a map. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [square, toast, sumup, lightspeedK, loyverse, dsfinvk].map((adapter) => [adapter.name, adapter]),
)

/** What is read by a map that a person writes. */
export const mapAdapters: ReadonlyMap<string, (map: CsvMap) => Adapter> = new Map([
  ['csv', csvAdapter],
  ['singer', singerAdapter],
])
