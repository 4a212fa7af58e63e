import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import { countedItems } from '../../../core/contract/money/counted.ts'
import { hoursBehind } from './delays.ts'
import { Warnings, type Circumstances } from './known.ts'
import { warnOfPayments, warnOfTotals, whyInCents } from './order-amounts.ts'
import { warnOfItems } from './order-items.ts'
import { isUnusual, warnOfId, warnOfText } from './texts.ts'
import { warnOfLongAgo, warnOfNoCreation, warnOfReversal, warnOfTime } from './times.ts'

/**
 * Warns about a till whose changes always arrive the same number of half hours late: it sends a local time behind UTC.
 */
function warnOfDelay(found: Warnings, { deviceId, updatedAt }: Order, { delayOf, nowMs }: Circumstances): void {
  const delay = delayOf?.(deviceId)
  if (!delay) return
  const hours = hoursBehind(delay, nowMs - Date.parse(updatedAt), nowMs)
  if (hours === null) return
  const detail = `updatedAt is ${hours} hours old, like everything that this device pushes: send UTC, not local time`
  found.add('/updatedAt', 'times_behind', detail)
}

/** Largest plausible number of guests: more than any restaurant seats at one table. */
const mostGuests = 1_000

function warnOfIdentity(found: Warnings, order: Order, { known, sightings }: Circumstances): void {
  const { id, deviceId, guests } = order
  warnOfId(found, '/id', id)
  warnOfId(found, '/deviceId', deviceId)
  if (known.devices && !known.devices.has(deviceId.toLowerCase())) {
    found.add('/deviceId', 'unknown_device', `device ${deviceId} does not belong to the location`)
  }
  const otherId = sightings?.order(order)
  if (otherId !== undefined) {
    const detail = `an order with the same device, number, opening time and total has the id ${otherId}`
    found.add('/id', 'order_sent_twice', detail)
  }
  if (guests < 0 || guests > mostGuests)
    found.add('/guests', 'quantity_implausible', `guests is ${guests}: expected 0 to ${mostGuests}`)
  const { orderNumber, orderPlace, operatorName, customerId, channel, serviceType, source } = order
  if (isUnusual(orderNumber)) warnOfText(found, '/orderNumber', orderNumber)
  if (isUnusual(orderPlace)) warnOfText(found, '/orderPlace', orderPlace)
  if (isUnusual(operatorName)) warnOfText(found, '/operatorName', operatorName)
  if (isUnusual(customerId)) warnOfText(found, '/customerId', customerId)
  if (isUnusual(channel)) warnOfText(found, '/channel', channel)
  if (isUnusual(serviceType)) warnOfText(found, '/serviceType', serviceType)
  if (isUnusual(source)) warnOfText(found, '/source', source)
}

/** Returns the warnings about an order, which is stored all the same. The rules are in `schemas/warnings.ts`. */
export function warnOfOrder(order: Order, circumstances: Circumstances): Warning[] {
  const { known, nowMs } = circumstances
  const found = new Warnings()
  const counted = countedItems(order)
  const inCents = whyInCents(order, counted, known)
  if (inCents !== undefined) found.add('', 'amounts_in_cents', inCents)
  warnOfTotals(found, order, counted, known)
  warnOfPayments(found, order, known)
  warnOfIdentity(found, order, circumstances)
  const { createdAt, updatedAt, openedAt, closedAt } = order as Partial<Order> & Pick<Order, 'openedAt'>
  warnOfTime(found, 'openedAt', openedAt, nowMs)
  warnOfTime(found, 'createdAt', createdAt, nowMs)
  warnOfTime(found, 'updatedAt', updatedAt, nowMs)
  warnOfTime(found, 'closedAt', closedAt, nowMs)
  warnOfNoCreation(found, order, nowMs)
  if (circumstances.isLive) {
    warnOfLongAgo(found, closedAt ? ['closedAt', closedAt] : ['openedAt', openedAt], updatedAt, nowMs)
  }
  warnOfDelay(found, order, circumstances)
  if (closedAt) warnOfReversal(found, '/closedAt', ['closedAt', closedAt], ['openedAt', openedAt])
  if (createdAt && updatedAt) warnOfReversal(found, '/updatedAt', ['updatedAt', updatedAt], ['createdAt', createdAt])
  // Last, since a record has a limited number of warnings and an order many items.
  warnOfItems(found, order, known, inCents !== undefined)
  return found.list
}
