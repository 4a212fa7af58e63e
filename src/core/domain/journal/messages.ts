import type { EventType } from '../../schemas/events.ts'

/** One change in the journal, its document as bytes. */
export type Entry = {
  locationId: string
  epoch: string
  seq: number
  acceptedAt: string
  kind: string
  id: string
  types: EventType[]
  document: Buffer
}

/** Returns the id of an event, unique through its epoch; without full stops, which separate the signed parts. */
export function messageId(
  { locationId, epoch, seq }: Pick<Entry, 'locationId' | 'epoch' | 'seq'>,
  type: EventType,
): string {
  return `evt_${locationId.replaceAll('-', '')}_${epoch}_${seq}_${type.replaceAll('.', '-')}`
}

/** The epoch of events that never happened: samples and test deliveries. */
export const sampleEpoch = '00000000'

/** One event as sent: webhooks, the feed and the event stream send the same bytes. */
export type Message = { id: string; type: EventType; body: Buffer }

const end = 0x7d

/** Puts the unchanged document into its envelope (decision 0018), in parts. Nothing in the envelope needs escaping. */
export function messageParts(
  entry: Omit<Entry, 'kind' | 'id' | 'types'>,
  type: EventType,
): { id: string; parts: readonly [head: string, document: Buffer, end: string] } {
  const { locationId, seq, acceptedAt, document } = entry
  const id = messageId(entry, type)
  const head = `{"id":"${id}","type":"${type}","timestamp":"${acceptedAt}","locationId":"${locationId}","sequence":${seq},"data":`
  return { id, parts: [head, document, '}'] }
}

/** Makes the same message in one piece. */
export function toMessage(entry: Omit<Entry, 'kind' | 'id' | 'types'>, type: EventType): Message {
  const { id, parts } = messageParts(entry, type)
  const [head, document] = parts
  const body = Buffer.allocUnsafe(head.length + document.length + 1)
  body.write(head, 'latin1')
  document.copy(body, head.length)
  body[body.length - 1] = end
  return { id, type, body }
}

/** Makes one message per event of an entry, in the order of its types. */
export function toMessages(entry: Entry, types: ReadonlySet<EventType>): Message[] {
  return entry.types.filter((type) => types.has(type)).map((type) => toMessage(entry, type))
}
