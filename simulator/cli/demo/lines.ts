import { styleText } from 'node:util'
import type { EventType } from '../../../src/core/schemas/events.ts'
import { harmless, some } from '../../../src/core/cli/terminal/output.ts'
import type { Delivered, DeliveredEvent } from './receiver.ts'

type Style = Parameters<typeof styleText>[0]

/** Colors the text for a terminal, unless NO_COLOR is set. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout })

const styles: Partial<Record<EventType, Style>> = {
  'order.created': 'cyan',
  'order.paid': 'green',
  'order.canceled': 'red',
  'order.transferred': 'yellow',
  'report.created': 'magenta',
}

const euros = (amount: number) => `${amount.toFixed(2)} €`

function orderWords({ type, data }: DeliveredEvent): string[] {
  const { orderNumber = '', orderPlace = '', total = 0, payments = [], cancelReason } = data
  const sold = (data.items ?? []).filter(({ isCanceled }) => !isCanceled)
  const details = {
    'order.created': some(sold.length, 'item'),
    'order.paid': [...new Set(payments.map(({ paymentName }) => paymentName))].join(', '),
    'order.canceled': cancelReason ?? '',
    'order.transferred': data.transferReason ?? '',
  }[type as string]
  return [`#${orderNumber}`.padEnd(12), orderPlace.padEnd(12), euros(total).padStart(10), details ?? '']
}

function reportWords({ data }: DeliveredEvent): string[] {
  const { reportNumber = 0, orders = [], totalSales = 0, guestsNumber = 0 } = data
  const sold = `${some(orders.length, 'order')}, ${some(guestsNumber, 'guest')}`
  return [`Z ${reportNumber}`.padEnd(12), ''.padEnd(12), euros(totalSales / 100).padStart(10), sold]
}

const timeOf = (timestamp: string) => new Date(timestamp).toTimeString().slice(0, 8)

/** Writes the line of a delivery: `12:04:31 ✓ order.paid #260314-014 Comptoir 3 18.80 € Carte bancaire`. */
export function lineOf({ event, isTest }: Delivered): string {
  const { type, timestamp } = event
  const words = type.startsWith('report') ? reportWords(event) : orderWords(event)
  const name = paint(styles[type] ?? 'white', type.padEnd(17))
  const head = [paint('dim', timeOf(timestamp)), `${paint('green', '✓')} ${name}`]
  return [...head, ...words.map(harmless), ...(isTest ? [paint('yellow', 'test')] : [])].join('  ').trimEnd()
}
