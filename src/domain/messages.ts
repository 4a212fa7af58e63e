import type { EventType } from '../schemas/events.ts'

/** One change as the journal holds it, its document as bytes. */
export type Entry = {
  locationId: string
  seq: number
  acceptedAt: string
  kind: string
  id: string
  types: EventType[]
  document: Buffer
}

/** The same for an event wherever it is seen; without full stops, which separate the parts that are signed. */
export function messageId(locationId: string, seq: number, type: EventType): string {
  return `evt_${locationId.replaceAll('-', '')}_${seq}_${type.replaceAll('.', '-')}`
}

const end = Buffer.from('}')

/** The body of one event in pieces, the document untouched (design: Delivery engine). */
export function messageBody(entry: Omit<Entry, 'kind' | 'id' | 'types'>, type: EventType): Buffer[] {
  const { locationId, seq, acceptedAt } = entry
  const id = messageId(locationId, seq, type)
  const head = JSON.stringify({ id, type, timestamp: acceptedAt, locationId, sequence: seq })
  return [Buffer.from(`${head.slice(0, -1)},"data":`), entry.document, end]
}

/** One body per event that an entry means, in the order of its types; the same bytes as a webhook is sent. */
export function eventBodies(entry: Entry, types: ReadonlySet<EventType>): { type: EventType; body: Buffer }[] {
  return entry.types
    .filter((type) => types.has(type))
    .map((type) => ({ type, body: Buffer.concat(messageBody(entry, type)) }))
}
