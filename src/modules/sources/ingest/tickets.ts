import { keepSpelling } from '../../../core/domain/documents/json-spelling.ts'
import { isPlainText } from '../../../core/domain/documents/json-text.ts'
import { validator } from '../../../core/domain/documents/validation.ts'
import type { Fault } from '../../../core/contract/errors/errors.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import { Closing, Ticket } from '../schemas/tickets.ts'
import { assembleTicket } from '../adapters/ticket/assemble.ts'
import { assembleClosing } from '../adapters/ticket/closing.ts'

/** Types of records that become an order or a report: no UUIDs are needed (docs/modules/from-another-system.md). */
export const ticketTypes = ['ticket', 'closing'] as const

export type TicketType = (typeof ticketTypes)[number]

const faultsOf = {
  ticket: validator(Ticket, 'body', 'data'),
  closing: validator(Closing, 'body', 'data'),
}

/** Returns the type of a record that is an object with one of these types and `data`. */
export function ticketTypeOf(value: unknown): TicketType | undefined {
  const { type, data, ...more } = (value ?? {}) as { type?: unknown; data?: unknown }
  if (data === undefined || Object.keys(more).length > 0) return undefined
  return ticketTypes.find((known) => known === type)
}

type Where = { locationId: string; decimals: number }

const underData = (pointer: string) => `/data${pointer}`

/** The record made from a ticket or a closing. */
export type Made = { type: 'order'; data: Order } | { type: 'report'; data: Report }

/**
 * Makes the order or the report of a parsed ticket or closing. Faults are about its shape, its spelling, and totals
 * that it contradicts.
 */
export function recordOfTicket(
  type: TicketType,
  { text, value }: { text: string; value: unknown },
  { locationId, decimals }: Where,
): Made | { faults: Fault[] } {
  const { data } = value as { data: unknown }
  const faults = faultsOf[type](data)
  if (faults.length > 0) return { faults: faults.map((fault) => ({ ...fault, pointer: underData(fault.pointer) })) }
  const spelling = isPlainText(text, value) ? undefined : keepSpelling(text, value, false)
  if (spelling) return { faults: [{ in: 'body', ...spelling }] }
  if (type === 'closing') return { type: 'report', data: assembleClosing(data as Closing, locationId) }
  const made = assembleTicket(data as Ticket, { locationId, decimals })
  if ('order' in made) return { type: 'order', data: made.order }
  const { pointer, code, detail } = made.refusal
  return { faults: [{ in: 'body', pointer: underData(pointer), code, detail }] }
}
