import type { Adapter } from './adapter.ts'
import { dsfinvk } from './dsfinvk/map.ts'
import { lightspeedK } from './lightspeed-k/map.ts'
import { loyverse } from './loyverse/map.ts'
import { square } from './square/map.ts'
import { toast } from './toast/map.ts'

/** The systems whose documents become tickets by code; a CSV does by a map. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [square, toast, lightspeedK, loyverse, dsfinvk].map((adapter) => [adapter.name, adapter]),
)

export const sourceNames = ['csv', ...adapters.keys()]
