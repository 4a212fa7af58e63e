import type { TicketItem } from '../../src/modules/sources/schemas/tickets.ts'
import type { TableRow } from './tables.ts'

// The business cases of DSFinV-K (GV_TYP), and their meaning here.

/** A business case: an item of a kind, or money that is not an item. */
type Case = NonNullable<TicketItem['kind']> | 'discount' | 'voucherUsed' | 'debt' | 'tip' | 'drawer'

export const cases: Readonly<Record<string, Case>> = {
  Umsatz: 'sale',
  // A deposit for a container is taxed like its content.
  Pfand: 'sale',
  PfandRueckzahlung: 'sale',
  ZuschussEcht: 'sale',
  ZuschussUnecht: 'sale',
  Rabatt: 'discount',
  Aufschlag: 'charge',
  MehrzweckgutscheinKauf: 'voucher',
  EinzweckgutscheinKauf: 'voucher',
  MehrzweckgutscheinEinloesung: 'voucherUsed',
  EinzweckgutscheinEinloesung: 'voucherUsed',
  Anzahlungseinstellung: 'deposit',
  Anzahlungsaufloesung: 'deposit',
  Forderungsentstehung: 'debt',
  Forderungsaufloesung: 'debt',
  TrinkgeldAG: 'tip',
  TrinkgeldAN: 'tip',
  Anfangsbestand: 'drawer',
  Geldtransit: 'drawer',
  Einzahlung: 'drawer',
  Auszahlung: 'drawer',
  Privateinlage: 'drawer',
  Privatentnahme: 'drawer',
  Lohnzahlung: 'drawer',
  DifferenzSollIst: 'drawer',
}

/** Types of drawer movements in a report, by business case and sign. */
export const entryTypes: Readonly<Record<string, readonly [more: string, less: string]>> = {
  Anfangsbestand: ['opening_float', 'opening_float'],
  Geldtransit: ['cash_in', 'bank_deposit'],
  Einzahlung: ['cash_in', 'cash_out'],
  Auszahlung: ['cash_in', 'cash_out'],
  Privateinlage: ['cash_in', 'cash_out'],
  Privatentnahme: ['cash_in', 'cash_out'],
  Lohnzahlung: ['cash_in', 'expense'],
  DifferenzSollIst: ['count_overage', 'count_shortage'],
}

export const caseOf = (row: TableRow): Case => cases[row.text('GV_TYP')] ?? 'sale'

export const isOf = (...which: Case[]) => {
  const set = new Set(which)
  return (row: TableRow) => set.has(caseOf(row))
}

/**
 * Whether a case is an item. A redeemed voucher is a payment if it is taxed on redemption. If the voucher was taxed
 * when it was sold, its redemption reverses that tax and is an item.
 */
export const isItemCase = (of: Case, tax: number): boolean =>
  of === 'sale' ||
  of === 'discount' ||
  of === 'charge' ||
  of === 'voucher' ||
  of === 'deposit' ||
  (of === 'voucherUsed' && tax !== 0)

export const isTip = isOf('tip')
export const isMove = isOf('drawer')
export const isDebt = isOf('debt')

/** The key that groups redeemed vouchers into one payment. */
export const voucherKey = 'Gutschein'

/** The payment of a sale on account; with the opposite sign, it settles the debt later. */
export const debt = { name: 'On account', key: 'Forderung', kind: 'account' as const }
