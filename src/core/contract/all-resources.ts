import type { RecordType } from './resources.ts'
import { catalog } from './catalog/resource.ts'
import { location } from './location/resource.ts'
import { orders } from './orders/resource.ts'
import { reports } from './reports/resource.ts'
import { dataParts } from '../modules.ts'
import type { Resource } from './resource.ts'

declare module '../modules.ts' {
  interface ModuleData {
    /** How the records of the module are stored. */
    resources?: readonly Resource[]
  }
}

let all: readonly Resource[] | undefined

/** Lists the descriptors in the order of an export: the location comes first, and the records after it belong to it. */
export function listResources(): readonly Resource[] {
  all ??= [location, ...catalog, orders, reports, ...dataParts().flatMap((part) => part.resources ?? [])]
  return all
}

let byType: ReadonlyMap<RecordType, Resource> | undefined

export function resourceOf(type: RecordType): Resource {
  byType ??= new Map(listResources().map((one) => [one.type, one]))
  const resource = byType.get(type)
  if (!resource) throw new Error(`src/core/contract/all-resources.ts has no descriptor of ${type}`)
  return resource
}
