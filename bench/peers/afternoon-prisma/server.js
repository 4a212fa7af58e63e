// `afternoon-pg` with an ORM: Fastify, the same tables, relations included by Prisma, documents shaped in JavaScript.
import { PrismaPg } from '@prisma/adapter-pg'
import Fastify from 'fastify'
import pg from 'pg'
import { answer } from '../../support/child.ts'
import { orderLines } from '../../support/orders.ts'
import { load, tablesOf } from '../afternoon-pg/load.js'
import { addRoutes } from '../afternoon-pg/routes.js'
import { PrismaClient } from './generated/client.ts'

const orderBy = { position: 'asc' }

const include = {
  items: { orderBy, include: { discounts: { orderBy }, modifiers: { orderBy } } },
  menus: { orderBy },
  payments: { orderBy },
  tips: { orderBy },
}

const number = (decimal) => (decimal === null ? null : Number(decimal))

function toItem(row) {
  const { taxName, taxRate, taxAmount, taxCatalogId, discounts, modifiers, hasModifiers, ...item } = row
  const { orderId: _order, position: _position, stockImpactIndicator, ...fields } = item
  return {
    ...fields,
    quantity: number(item.quantity),
    weight: number(item.weight),
    unitPrice: number(item.unitPrice),
    total: number(item.total),
    discountsApplied: discounts.map(({ discountName, discountValue, discountCatalogId }) => ({
      discountName,
      discountValue: number(discountValue),
      discountCatalogId,
    })),
    ...(hasModifiers
      ? { modifiers: modifiers.map(({ modifierGroupId, modifierId, name }) => ({ modifierGroupId, modifierId, name })) }
      : {}),
    ...(stockImpactIndicator === null ? {} : { stockImpactIndicator }),
    tax: { taxName, taxRate: number(taxRate), taxAmount: number(taxAmount), taxCatalogId },
  }
}

function toMenu({ id, menuCatalogId, name, quantity, unitPrice, total }) {
  return { id, menuCatalogId, name, quantity: number(quantity), unitPrice: number(unitPrice), total: number(total) }
}

function toPayment({ paymentAmount, paymentName, paymentCatalogId }) {
  return { paymentAmount: number(paymentAmount), paymentName, paymentCatalogId }
}

function toTip({ amount, paymentCatalogId, operatorId }) {
  const [payment, operator] = [paymentCatalogId && { paymentCatalogId }, operatorId && { operatorId }]
  return { amount: number(amount), ...payment, ...operator }
}

function toOrder({ items, menus, payments, tips, ...order }) {
  return {
    ...order,
    total: number(order.total),
    totalTax: number(order.totalTax),
    totalDiscount: number(order.totalDiscount),
    items: items.map(toItem),
    menus: menus.map(toMenu),
    payments: payments.map(toPayment),
    tips: tips.length === 0 ? null : tips.map(toTip),
  }
}

const models = {
  orders: 'order',
  order_items: 'item',
  item_discounts: 'discount',
  item_modifiers: 'modifier',
  order_menus: 'menu',
  order_payments: 'payment',
  order_tips: 'tip',
}

const camel = (name) => name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase())

const camelRow = (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]))

function createStore(prisma) {
  const within = (locationId, since, until) => ({
    locationId,
    closedAt: { not: null },
    createdAt: { gte: since, lte: until },
  })
  return {
    async findLocation(key) {
      return (await prisma.apiKey.findUnique({ where: { key } }))?.locationId
    },
    async findOrder(locationId, id) {
      const order = await prisma.order.findUnique({ where: { id, locationId }, include })
      return order && toOrder(order)
    },
    async listOrders(locationId, since, until, take, skip) {
      const where = within(locationId, since, until)
      const byDate = [{ createdAt: 'asc' }, { id: 'asc' }]
      return (await prisma.order.findMany({ where, orderBy: byDate, take, skip, include })).map(toOrder)
    },
    async saveOrders(orders) {
      const ids = orders.map(({ id }) => id)
      const creates = [...tablesOf(orders)].map(([table, rows]) =>
        prisma[models[table]].createMany({ data: rows.map(camelRow) }),
      )
      await prisma.$transaction([prisma.order.deleteMany({ where: { id: { in: ids } } }), ...creates])
    },
    countOrders: (...range) => prisma.order.count({ where: within(...range) }),
    async listProducts(locationId) {
      const rows = await prisma.product.findMany({ where: { locationId }, orderBy: { position: 'asc' } })
      return rows.map(({ locationId: _location, position: _position, ...product }) => product)
    },
  }
}

answer({
  start: async ({ connection, key, spread, products }) => {
    const client = new pg.Client(connection)
    await client.connect()
    await load(client, { key, locationId: spread.locationId, lines: orderLines(spread), products })
    await client.end()
    const prisma = new PrismaClient({ adapter: new PrismaPg({ ...connection, max: 8, idleTimeoutMillis: 100 }) })
    return addRoutes(Fastify(), createStore(prisma)).listen({ host: '127.0.0.1', port: 0 })
  },
})
