import { orderEvents } from '../../domain/journal/events.ts'
import { externalKeyOf } from '../../domain/documents/external-key.ts'
import { toFilterText } from '../../domain/documents/filter-text.ts'
import { isPaid, usualRules } from '../money/paid.ts'
import type { Order } from './schema.ts'
import {
  findExternalOwners,
  findOrders,
  releaseExternalKeys,
  upsertOrders,
  type OrderProperties,
  type OrderRow,
} from './rows.ts'
import { walkDocuments } from '../paging/pages.ts'
import type { Resource } from '../resource.ts'

export type OrderFacts = Pick<Order, 'closedAt' | 'reportId' | 'isCanceled' | 'isTransferred' | 'isTraining'> & {
  isPaid: boolean
  externalKey: string | null
  properties: OrderProperties
}

const propertiesOf = (order: Order): OrderProperties => ({
  number: toFilterText(order.orderNumber),
  deviceId: order.deviceId,
  operatorId: order.operatorId,
  channel: toFilterText(order.channel),
  serviceType: toFilterText(order.serviceType),
  training: order.isTraining,
})

export const orders: Resource<OrderRow, Order, OrderFacts> = {
  type: 'order',
  plural: 'orders',
  table: { name: 'orders', key: 'id', location: 'location_id' },
  dated: true,
  locationField: 'locationId',
  idOf: ({ id }) => id.toLowerCase(),
  facts(order, rules = usualRules) {
    const { isCanceled, isTransferred, isTraining, total, payments, tips } = order
    // Nullable fields may be absent in a push.
    const nullable = { closedAt: order.closedAt ?? null, reportId: order.reportId ?? null }
    const paid = isPaid({ closedAt: nullable.closedAt, isCanceled, total, payments, tips }, rules)
    const externalKey = externalKeyOf(order)
    return {
      ...nullable,
      isCanceled,
      isTransferred,
      isTraining,
      isPaid: paid,
      externalKey,
      properties: propertiesOf(order),
    }
  },
  events: (facts, before) => orderEvents(before, facts),
  row: (version, { facts, types, before }) => ({
    ...version,
    updatedAt: before && before.updatedAt > version.updatedAt ? before.updatedAt : version.updatedAt,
    closedAt: facts.closedAt,
    reportId: facts.reportId,
    canceled: facts.isCanceled,
    transferred: facts.isTransferred,
    externalKey: facts.externalKey,
    alone: false,
    paid: (before?.paid ?? false) || types.includes('order.paid'),
    ...facts.properties,
  }),
  columnsOf: (document) => ({ operator_id: (JSON.parse(document) as Order).operatorId }),
  // Second keys were not always unique: of several orders with the same key, only the first has it in its row.
  inherited: ['paid', 'externalKey', 'alone'],
  find: findOrders,
  upsert: upsertOrders,
  secondKey: { of: ({ externalKey }) => externalKey, find: findExternalOwners, release: releaseExternalKeys },
  async yield(sql, locationId, rows) {
    const keys = rows.flatMap(({ externalKey }) => externalKey ?? [])
    const owners = await findExternalOwners(sql, locationId, keys)
    for (const row of rows) {
      const owner = row.externalKey === null ? undefined : owners.get(row.externalKey)
      if (owner !== undefined && owner !== row.id) row.externalKey = null
      else if (row.externalKey !== null) owners.set(row.externalKey, row.id)
    }
  },
  walk: (sql, locationId) => walkDocuments(sql, 'orders', locationId),
  counts: {
    of: ({ closedAt, createdAt }) => ({ kind: closedAt === null ? 'order.open' : 'order.closed', createdAt }),
    kindSql: `case when closed then 'order.closed' else 'order.open' end`,
  },
}
