import type { RecordType } from './resources.ts'
import { catalog } from './catalog/resource.ts'
import { deviceStatuses } from '../../modules/figures/records/device-status.ts'
import { location } from './location/resource.ts'
import { orders } from './orders/resource.ts'
import { reports } from './reports/resource.ts'
import type { Resource } from './resource.ts'

/**
 * Lists the descriptors in the order of an export: the location's own record says where the others belong, so it comes
 * first.
 */
export const resources: readonly Resource[] = [location, ...catalog, orders, reports, deviceStatuses]

const byType = new Map(resources.map((resource) => [resource.type, resource]))

export function resourceOf(type: RecordType): Resource {
  const resource = byType.get(type)
  if (!resource) throw new Error(`there is no descriptor of ${type} in src/core/contract/all-resources.ts`)
  return resource
}
