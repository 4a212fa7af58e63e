import type { RecordType } from '../../schemas/resources.ts'
import { catalog } from './catalog.ts'
import { deviceStatuses } from './device-statuses.ts'
import { location } from './location.ts'
import { orders } from './orders.ts'
import { reports } from './reports.ts'
import type { Resource } from './resource.ts'

/**
 * Lists the descriptors in the order of an export: the location's own record says where the others belong, so it comes
 * first.
 */
export const resources: readonly Resource[] = [location, ...catalog, orders, reports, deviceStatuses]

const byType = new Map(resources.map((resource) => [resource.type, resource]))

export function resourceOf(type: RecordType): Resource {
  const resource = byType.get(type)
  if (!resource) throw new Error(`there is no descriptor of ${type} in src/store/resources/all.ts`)
  return resource
}
