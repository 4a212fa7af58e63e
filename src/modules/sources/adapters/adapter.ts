import { Type, type Static, type TSchema } from 'typebox'
import { toMinor, restOf, unitsOf } from '../../../core/contract/money/decimal.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { usualKinds } from '../../../core/contract/money/payment-kinds.ts'
import type { Closing, Ticket, TicketPayment } from '../schemas/tickets.ts'
import type { Scratch } from './scratch.ts'

/** A document that is skipped on purpose. */
export type Left = { key: string; reason: string }

/** Returns the reason for skipping a document that does not belong to the source, such as `no orders of Toast`. */
export const foreign = (what: string): string => `no ${what}`

export const isForeign = (reason: string): boolean => reason.startsWith('no ')

/**
 * A document that cannot be read completely and is therefore refused, while the others are read. `where` is a file with
 * line and column, or a page.
 */
export type Refused = { key: string; where?: string; reason: string }

/** The result for the documents of a source: each is a ticket or closing, skipped, or refused. */
export type Mapped = {
  tickets: Ticket[]
  closings: Closing[]
  left: Left[]
  refused: Refused[]
  /** Counts of remarks about the documents, such as data that no record has a field for, by code. */
  notes: Map<string, number>
  /** Members of documents that the mapping never reads, with their counts. */
  unmapped: Map<string, number>
}

/** A file of a source; each reading begins at its beginning. */
export type SourceFile = { name: string; read(): AsyncIterable<Buffer> }

/** Settings that a person must give because the documents lack them. */
const nameFields = {
  devices: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Names of devices by their id in the source; the empty key stands for an unknown device.',
    }),
  ),
  diningOptions: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: '`serviceType` by the id or name of the dining option.' }),
  ),
  payments: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Names of payments by their id in the source.' }),
  ),
}

/**
 * Names of devices, dining options and payments that an operator sets for a live source. The time zone, currency and
 * start of day come from the location.
 */
export const SourceNames = Type.Object(nameFields, closed)

export const Profile = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 500, description: 'Id of the shop in the source.' }),
    timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA time zone of the shop.' }),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      'x-must': 'an ISO 4217 code in capital letters, such as EUR',
      description: 'ISO 4217.',
    }),
    dayStartsAt: Type.Optional(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        'x-must': 'a time from 00:00 to 23:59 (HH:MM)',
      }),
    ),
    ...nameFields,
  },
  closed,
)

export type Profile = Static<typeof Profile>

/**
 * Maps the documents of a source to tickets and closings. It uses no clock and no network, and the order of documents
 * does not matter.
 */
export type Adapter = {
  /** The slug in `source` and in ids: it never changes. */
  name: string
  /** Description of its documents, for the error if a file has none; null if that is normal. */
  expects: string | null
  profile: TSchema
  /** Maps the documents of files: each ticket once, and a closing after its tickets. Throws `Unreadable`. */
  map(files: readonly SourceFile[], profile: Profile, to: MapsTo): Promise<void>
}

export type MapsTo = {
  /** For data that must wait until everything is read. */
  scratch: Scratch
  /** Called repeatedly with parts of the mapped records. */
  hand(mapped: Mapped): void
  /** Called with the position from which the source may continue once all before it is stored; the last call counts. */
  keepState(state: unknown): void
}

/** Maximum records that are passed on at once. */
const handedAtOnce = 200

/** Collects mapped records, and passes them on in small batches. */
export class Mapping {
  mapped = newMapped()
  readonly #hand: MapsTo['hand']

  constructor(hand: MapsTo['hand']) {
    this.#hand = hand
  }

  handMuch(): void {
    const { tickets, closings, refused, left } = this.mapped
    if (tickets.length + closings.length + refused.length + left.length >= handedAtOnce) this.handAll()
  }

  handAll(): void {
    this.#hand(this.mapped)
    this.mapped = newMapped()
  }
}

/** The error for an invalid document of a source; its message says where, if known. */
export class Unreadable extends Error {}

export const newMapped = (): Mapped => ({
  tickets: [],
  closings: [],
  left: [],
  refused: [],
  notes: new Map(),
  unmapped: new Map(),
})

export const note = ({ notes }: Pick<Mapped, 'notes'>, what: string): void => {
  notes.set(what, (notes.get(what) ?? 0) + 1)
}

/** Returns a function that converts amounts in major units to the minor unit, rounded half away from zero. */
export function minorReader(currency: string): (amount: number | string | null | undefined) => number {
  const { decimals } = moneyOf(currency)
  return (amount) => {
    const number = Number(amount ?? 0)
    if (!Number.isFinite(number)) throw new Unreadable(`${JSON.stringify(amount)} is not an amount`)
    return toMinor(unitsOf(number), restOf(number), decimals)
  }
}

/**
 * Returns a function that converts amounts in the minor unit of ISO 4217, which other systems use, to the hundredths of
 * Tillgate: 500 yen are 500 there and 50000 here.
 */
export function isoMinorReader(currency: string): (amount: unknown) => number {
  const { decimals, isoDecimals } = moneyOf(currency)
  return (amount) => {
    const number = Number(amount ?? 0)
    if (!Number.isFinite(number)) throw new Unreadable(`${JSON.stringify(amount)} is not an amount`)
    const scaled = number * 10 ** (decimals - isoDecimals)
    return Math.sign(scaled) * Math.round(Math.abs(scaled)) + 0
  }
}

/**
 * Subtracts a tip that the source includes in its payments: from the largest payment first, with no payment below
 * zero; any remainder from the first payment. For a refund, all signs are reversed.
 */
export function takeTip(payments: TicketPayment[], tip: number): void {
  const sign = tip < 0 ? -1 : 1
  let left = sign * tip
  for (const payment of payments.toSorted((a, b) => sign * (b.amount - a.amount))) {
    const part = Math.min(left, Math.max(sign * payment.amount, 0))
    if (part === 0) continue
    payment.amount -= sign * part
    payment.tip = (payment.tip ?? 0) + sign * part
    left -= part
  }
  const [first] = payments
  if (left !== 0 && first) {
    first.amount -= sign * left
    first.tip = (first.tip ?? 0) + sign * left
  }
}

/**
 * Returns the name of a payment: the source's own word. If that word would hide that the payment is cash or a gift
 * card, returns the common name.
 */
export function ownPaymentName(own: string, usual: string | undefined): string {
  if (own === '') return usual ?? 'Other'
  const kind = usual === undefined ? null : usualKinds({ paymentName: usual })
  const isKept = kind !== 'cash' && kind !== 'gift_card'
  return isKept || usualKinds({ paymentName: own }) === kind ? own : (usual as string)
}

/** Counts a word of the source that its adapter does not know. */
export const noteUnknown = (mapped: Pick<Mapped, 'notes'>, member: string, word: unknown): void =>
  note(mapped, `unknown ${member} ${JSON.stringify(word)}`)

/** Reads a time with its offset; microseconds are truncated. Throws `Unreadable`. */
export function toUtc(text: unknown): string {
  const ms = typeof text === 'string' ? Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : NaN
  if (Number.isNaN(ms)) throw new Unreadable(`${JSON.stringify(text)} is not a time`)
  return new Date(ms).toISOString()
}

/** Common names of payments; any other payment keeps the source's own word. */
export const usualPaymentNames = { card: 'Card', cash: 'Cash', giftCard: 'Gift card' } as const

/** Returns the value if it is a text, else `otherwise`. */
export const textOr = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)

/** Maps a document. An unreadable document is refused with its key, and mapping continues. */
export function mapOne(mapped: Pick<Mapped, 'refused'>, key: () => string, map: () => void): void {
  try {
    map()
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof TypeError)) throw error
    const reason = error instanceof Unreadable ? error.message : `a member is missing: ${error.message}`
    mapped.refused.push({ key: key(), reason })
  }
}

/** Runs a mapping over independent documents. */
export function mapEach<T>(
  documents: readonly T[],
  mapped: Mapped,
  { keyOf, map }: { keyOf: (document: T) => string; map: (document: T) => void },
): void {
  for (const document of documents)
    mapOne(
      mapped,
      () => keyOf(document),
      () => map(document),
    )
}

/** Returns the last changed version of each document, in the order in which the documents first appeared. */
export function newestOf<T>(
  documents: readonly T[],
  { key, version }: { key: (one: T) => string; version: (one: T) => string },
): T[] {
  const byKey = new Map<string, T>()
  for (const one of documents) {
    const known = byKey.get(key(one))
    if (known === undefined || version(known) < version(one)) byKey.set(key(one), one)
  }
  return [...byKey.values()]
}
