import type { PaymentKind } from './payment-kinds-schema.ts'

/** What a location states about its payments, by name and by catalog id. */
export type PaymentSettings = {
  /** Setting `paymentKinds` of the location: kinds by name. */
  byName: Readonly<Record<string, PaymentKind>>
  catalog: readonly { id: string; name: string; kind?: PaymentKind | undefined }[]
}

/** Returns the kind of a payment; null if neither the location nor a common name determines it. */
export type KindOf = (payment: { paymentName: string; paymentCatalogId?: string }) => PaymentKind | null

/** Normalizes a name: removes case, accents, currency signs and punctuation. */
function toPlainName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
  return plain.replace(/(?:^| )(?:eur|euro|euros|usd|gbp|chf|cad|aud|pln|czk|sek|nok|dkk|huf)(?= |$)/gu, ' ').trim()
}

/** Common names of payments, for names without a setting. */
const words: Readonly<Partial<Record<PaymentKind, string>>> = {
  cash:
    'especes, espece, liquide, numeraire, pieces, monnaie, billets, cash, cash payment, bar, bargeld, ' +
    'barzahlung, barzahlungen, bares, contanti, contante, in contanti, efectivo, metalico, contado, ' +
    'al contado, contant, contant geld, kontant, kontanter, kontanten, numerario, dinheiro, gotowka, ' +
    'hotovost, hotove, v hotovosti, keszpenz, nakit, numerar, gotovina, gotovinsko, kateinen, sularaha, ' +
    'skaidra nauda, grynieji, grynais, reidufe, metrita, μετρητα, наличные, наличными, готівка, в брой, ' +
    'готовина, מזומן, نقد, نقدا, نقدي, 現金, 现金, 현금, เงินสด, tien mat, tunai',
  card:
    'carte, cartes, carte bancaire, carte bleue, carte de credit, cb, cb sans contact, sans contact, card, ' +
    'cards, credit card, debit card, credit, debit, karte, kartenzahlung, ec, ec karte, eckarte, girocard, ' +
    'kreditkarte, carta, carta di credito, bancomat, tarjeta, cartao, pin, bancontact, kort, karta, ' +
    'kartica, kartya, bankkarte, visa, mastercard, amex, maestro, american express, v pay, contactless, ' +
    'apple pay, google pay, tpe, terminal, dankort',
  meal_voucher:
    'ticket restaurant, tickets restaurant, titre restaurant, titres restaurant, cheque dejeuner, ' +
    'ticket resto, tickets resto, titre resto, swile, edenred, sodexo, pluxee, meal voucher, up dejeuner',
  gift_card: 'carte cadeau, bon cadeau, cheque cadeau, gift card, gift voucher, gutschein, geschenkkarte',
  cheque: 'cheque, cheques, check, cheque bancaire, assegno, scheck, cheque vacances, ancv',
  account: 'compte client, en compte, account, on account, house account, rechnung, virement, bank transfer',
  rounding: 'rounding, cash rounding, arrondi, arrondis, rundung, afronding, arrotondamento, redondeo',
}

let byWord: Map<string, PaymentKind> | undefined

/** Returns the kind that a common name indicates; null for any other name. The list is made on first use, in 8 ms. */
function kindOfWord(plain: string): PaymentKind | null {
  byWord ??= new Map(
    Object.entries(words).flatMap(([kind, names]) =>
      names.split(', ').map((name) => [toPlainName(name), kind as PaymentKind] as const),
    ),
  )
  return byWord.get(plain) ?? null
}

/** Makes a location's rule. In order of precedence: settings by name, catalog by id, catalog by name, common names. */
export function kindsOf({ byName, catalog }: PaymentSettings): KindOf {
  const set = new Map(Object.entries(byName).map(([name, kind]) => [toPlainName(name), kind]))
  const ids = new Map(catalog.flatMap(({ id, kind }) => (kind ? [[id.toLowerCase(), kind] as const] : [])))
  const names = new Map(catalog.flatMap(({ name, kind }) => (kind ? [[toPlainName(name), kind] as const] : [])))
  const read = ({ paymentName, paymentCatalogId = '' }: Parameters<KindOf>[0]): PaymentKind | null => {
    const plain = toPlainName(paymentName)
    return set.get(plain) ?? ids.get(paymentCatalogId.toLowerCase()) ?? names.get(plain) ?? kindOfWord(plain)
  }
  const known = new Map<string, Map<string, PaymentKind | null>>()
  return (payment) => {
    const { paymentName, paymentCatalogId = '' } = payment
    const ofId = known.get(paymentCatalogId) ?? new Map<string, PaymentKind | null>()
    let kind = ofId.get(paymentName)
    if (kind !== undefined) return kind
    kind = read(payment)
    if (known.size < 1_000 && ofId.size < 100) known.set(paymentCatalogId, ofId.set(paymentName, kind))
    return kind
  }
}

/** The rule that knows only the common names. */
export const usualKinds: KindOf = kindsOf({ byName: {}, catalog: [] })

/** Returns whether the name alone identifies a payment as cash. */
export const isCash = (name: string): boolean => kindOfWord(toPlainName(name)) === 'cash'
