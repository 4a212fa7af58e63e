import type { Order } from '../../schemas/orders.ts'
import type { Warning } from '../../schemas/warnings.ts'
import { hoursBehind } from './delays.ts'
import { Warnings, type Circumstances } from './known.ts'
import { warnOfPayments, warnOfTotals, whyInCents } from './order-amounts.ts'
import { isCounted, warnOfItems } from './order-items.ts'
import { isUnusual, warnOfId, warnOfText } from './texts.ts'
import { warnOfReversal, warnOfTimes } from './times.ts'

/** A till whose every change is whole hours old when it comes sends the local time of a zone behind UTC. */
function warnOfDelay(found: Warnings, { deviceId, updatedAt }: Order, { delayOf, nowMs }: Circumstances): void {
  const hours = hoursBehind(delayOf?.(deviceId), nowMs - Date.parse(updatedAt), nowMs)
  if (hours === null) return
  const detail = `updatedAt is ${hours} hours behind, like all that this device pushes: it must be UTC, not local time`
  found.add('/updatedAt', 'times_behind', detail)
}

/** More people than any restaurant seats at one table. */
const mostGuests = 1_000

const texts = ['orderNumber', 'orderPlace', 'operatorName', 'customerId', 'channel', 'serviceType', 'source'] as const

function warnOfIdentity(found: Warnings, order: Order, { known, sightings }: Circumstances): void {
  const { id, deviceId, guests } = order
  warnOfId(found, '/id', id)
  warnOfId(found, '/deviceId', deviceId)
  if (known.devices && !known.devices.has(deviceId.toLowerCase())) {
    found.add('/deviceId', 'unknown_device', `there is no device ${deviceId} at the location`)
  }
  const { other, otherId } = sightings?.order(order) ?? {}
  if (other) {
    const detail = `this id was that of an order opened at ${other.openedAt}, of another number`
    found.add('/id', 'id_reused', detail)
  }
  if (otherId !== undefined) {
    found.add('/id', 'order_sent_twice', `an order of this device, number, opening and total has the id ${otherId}`)
  }
  if (guests < 0 || guests > mostGuests) found.add('/guests', 'quantity_implausible', `guests is ${guests}`)
  for (const name of texts) if (isUnusual(order[name])) warnOfText(found, `/${name}`, order[name])
}

/** What a till should know of an order that is stored all the same: each rule stands in `schemas/warnings.ts`. */
export function warnOfOrder(order: Order, circumstances: Circumstances): Warning[] {
  const { known, nowMs } = circumstances
  const found = new Warnings()
  const counted = order.items.filter(isCounted)
  const inCents = whyInCents(order, counted, known)
  if (inCents !== undefined) found.add('', 'amounts_in_cents', inCents)
  warnOfTotals(found, order, counted, known)
  warnOfPayments(found, order, known)
  warnOfIdentity(found, order, circumstances)
  warnOfTimes(found, order, ['openedAt', 'createdAt', 'updatedAt', 'closedAt'], nowMs)
  warnOfDelay(found, order, circumstances)
  const { createdAt, updatedAt } = order as Partial<Order>
  if (order.closedAt) warnOfReversal(found, '/closedAt', ['closedAt', order.closedAt], ['openedAt', order.openedAt])
  if (createdAt && updatedAt) warnOfReversal(found, '/updatedAt', ['updatedAt', updatedAt], ['createdAt', createdAt])
  // Last, since a record has a limited number of warnings and an order many items.
  warnOfItems(found, order, known, inCents !== undefined)
  return found.list
}
