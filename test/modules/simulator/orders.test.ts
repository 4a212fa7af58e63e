import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Order, OrderItem } from '../../../src/core/contract/orders/schema.ts'
import { businessDay } from '../../../simulator/calendar.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'
import { simulate } from '../../../simulator/simulation.ts'
import { cents, sum, collect, type Generated } from './support.ts'

const restaurants = ['a', 'b', 'c'].map((seed) => createRestaurant({ seed, ordersPerDay: 130 }))
const isCounted = (item: OrderItem) => !item.isCanceled && !item.isLoss
const discounts = (item: OrderItem) => sum(item.discountsApplied, (discount) => cents(discount.discountValue))
const gross = (item: OrderItem) => cents(item.total) + discounts(item)
const names = <T>(entries: readonly T[], of: (entry: T) => string) => [...new Set(entries.map(of))].toSorted()
const place = (order: Order) => `${order.locationId} ${order.orderPlace}`

let all: Generated

before(() => {
  const [from, to] = ['2026-05-29', '2026-06-13'].map(
    (date) => new Date(businessDay('Europe/Paris', date).startsAt),
  ) as [Date, Date]
  const spans = restaurants.map((restaurant) => [...simulate(restaurant, { from, to, finalOnly: true })])
  all = collect(spans.flat().map((occurrence) => occurrence.record))
})

test('an item is its units or its weight times its price, less its discounts, with the included tax of its rate', () => {
  for (const item of all.orders.flatMap((order) => order.items)) {
    const units = item.weight === null ? item.quantity : item.weight
    assert.equal(gross(item), Math.round(units * cents(item.unitPrice)))
    assert.ok(cents(item.total) >= 0)
    const rate = Math.round(item.tax.taxRate * 10_000)
    assert.equal(cents(item.tax.taxAmount), Math.round((cents(item.total) * rate) / (10_000 + rate)))
  }
})

test('an order adds up to its counted items, and the payments of a closed order cover it to the cent', () => {
  for (const order of all.orders) {
    const items = order.items.filter(isCounted)
    assert.equal(
      cents(order.total),
      sum(items, (item) => cents(item.total)),
    )
    assert.equal(
      cents(order.totalTax),
      sum(items, (item) => cents(item.tax.taxAmount)),
    )
    assert.equal(cents(order.totalDiscount), sum(items, discounts))
    assert.equal(
      sum(order.payments, (payment) => cents(payment.paymentAmount)),
      cents(order.total),
    )
    if (order.isCanceled) assert.equal(order.total, 0)
  }
})

test('the dishes of a menu add up to its price over their VAT rates, and refer to it', () => {
  const seen = new Set<string>()
  for (const order of all.orders) {
    const ids = new Set(order.menus.map((menu) => menu.id))
    assert.ok(order.items.every((item) => item.comboParentId === null || ids.has(item.comboParentId)))
    for (const menu of order.menus) {
      const dishes = order.items.filter((item) => item.comboParentId === menu.id)
      assert.ok(dishes.length >= 2)
      assert.equal(sum(dishes, gross), cents(menu.total))
      assert.ok(dishes.every((dish) => dish.unitPrice > 0))
      seen.add([...new Set(dishes.map((dish) => String(dish.tax.taxRate)))].toSorted().join())
    }
  }
  assert.deepEqual([...seen].toSorted(), ['0.055,0.1', '0.1', '0.1,0.2'])
})

test('everything that an order refers to is in the catalog or the location, with its tier and rate', () => {
  for (const restaurant of restaurants) {
    const { lists } = restaurant.catalog
    const products = new Map(lists.products.map((product) => [product.id, product]))
    const payments = new Map(lists.payments.map((payment) => [payment.id, payment]))
    const options = new Map(
      lists.modifiers.flatMap((group) => group.options.map((option) => [option.id, { group, option }])),
    )
    const devices = new Set(restaurant.location.deviceList?.map((device) => device.id))
    for (const order of all.orders.filter((order) => order.locationId === restaurant.location.id)) {
      assert.ok(devices.has(order.deviceId))
      for (const menu of order.menus) {
        assert.equal(products.get(menu.menuCatalogId)?.priceList[0]?.unitPrice, cents(menu.unitPrice))
      }
      for (const payment of order.payments) {
        const known = payments.get(payment.paymentCatalogId)
        assert.deepEqual([known?.name, known?.enabled], [payment.paymentName, true])
      }
      for (const item of order.items) {
        const price = products.get(item.itemCatalogId)?.priceList.find((entry) => entry.priceTypeName === item.tier)
        assert.equal(price?.taxRate, Math.round(item.tax.taxRate * 10_000))
        const chosen = (item.modifiers ?? []).map((modifier) => options.get(modifier.modifierId)?.option.price ?? NaN)
        if (item.comboParentId === null) assert.equal(cents(item.unitPrice), price.unitPrice + sum(chosen, Number))
        else assert.equal(sum(chosen, Number), 0)
      }
    }
  }
})

test('no table has two parties at the same time', () => {
  const seated = all.orders.filter((order) => /^T?\d+$/.test(order.orderPlace))
  assert.ok(seated.length > 1000)
  for (const orders of Map.groupBy(seated, place).values()) {
    const sorted = orders.toSorted((one, other) => (one.openedAt < other.openedAt ? -1 : 1))
    for (const [index, order] of sorted.entries()) {
      const next = sorted[index + 1]
      assert.ok(order.closedAt !== null)
      if (next) assert.ok(order.closedAt <= next.openedAt, `${place(order)} ${order.closedAt} ${next.openedAt}`)
    }
  }
})

test('the operator of an order has a shift from its opening to its closing, within the report', () => {
  const orders = new Map(all.orders.map((order) => [order.id, order]))
  for (const report of all.reports) {
    for (const shift of report.reportClerksShift) {
      assert.ok(report.startedAt <= shift.clockInDate && shift.clockInDate < shift.clockOutDate)
      assert.ok(shift.clockOutDate <= report.finalizedAt)
    }
    for (const order of report.orders.map((id) => orders.get(id))) {
      assert.ok(order && order.closedAt !== null)
      const { openedAt, closedAt, operatorId } = order
      assert.ok(report.startedAt <= openedAt && closedAt <= report.finalizedAt)
      const shifts = report.reportClerksShift.filter((shift) => shift.id === operatorId)
      assert.ok(shifts.some((shift) => shift.clockInDate <= openedAt && closedAt <= shift.clockOutDate))
    }
  }
})

test('an order of a platform has the references of the platform and is paid by it', () => {
  const orders = all.orders.filter((order) => order.channel === 'marketplace')
  assert.ok(orders.length > 100)
  assert.equal(new Set(orders.map((order) => order.externalOrderId)).size, orders.length)
  for (const order of orders) {
    assert.deepEqual([order.serviceType, order.guests], ['delivery', 0])
    assert.ok(order.externalLocationId && order.externalOrderId && order.source !== 'pos')
    assert.ok(order.payments.every((payment) => ['Livréo', 'Croq Express'].includes(payment.paymentName)))
    assert.ok(order.items.every((item) => item.tier === 'Livraison'))
  }
})

test('canceled, lost and transferred orders and items have a reason, and no others do', () => {
  for (const { isCanceled, cancelReason, isTransferred, transferReason } of all.orders) {
    assert.deepEqual([isCanceled, isTransferred], [cancelReason !== null, transferReason !== null])
  }
  for (const item of all.orders.flatMap((order) => order.items)) {
    assert.deepEqual([item.isCanceled, item.isLoss], [item.cancelReason !== null, item.lossReason !== null])
    assert.equal(item.isTransferred, item.transferReason !== null)
  }
})

test('two weeks of three restaurants contain everything that happens in one', () => {
  const sales = all.orders.filter((order) => !order.isCanceled && !order.isTraining)
  const items = sales.flatMap((order) => order.items)
  const happens: Record<string, boolean> = {
    training: all.orders.some((order) => order.isTraining),
    canceled: all.orders.some((order) => order.isCanceled && order.payments.length === 0),
    refunded: all.orders.some((order) => order.isCanceled && order.payments.length === 2),
    tableMoved: sales.some((order) => order.isTransferred),
    dishMoved: items.some((item) => item.isTransferred),
    voided: items.some((item) => item.isCanceled),
    lost: items.some((item) => item.isLoss),
    wasted: sales.some((order) => order.items.every((item) => item.isLoss)),
    weighed: items.some((item) => item.weight !== null),
    stocked: items.some((item) => item.stockImpactIndicator),
    modified: items.some((item) => item.modifiers?.length),
    split: sales.some((order) => order.payments.length >= 3),
    tipped: sales.some((order) => order.tips?.length),
    known: sales.some((order) => order.customerId !== '' && order.channel === 'pos'),
  }
  assert.deepEqual(
    Object.keys(happens).filter((name) => !happens[name]),
    [],
  )
  assert.deepEqual(
    names(items, (item) => item.tier),
    ['Happy hour', 'Livraison', 'Sur place', 'À emporter'],
  )
  const channels = ['marketplace', 'phone', 'pos', 'qr_table', 'website']
  assert.deepEqual(
    names(sales, (order) => order.channel),
    channels,
  )
  assert.equal(names(sales, (order) => order.deviceId).length, 3 * 5)
  const given = items.flatMap((item) => item.discountsApplied)
  assert.equal(names(given, (discount) => discount.discountName).length, 5)
  assert.equal(
    names(
      sales.flatMap((order) => order.payments),
      (payment) => payment.paymentName,
    ).length,
    8,
  )
})
