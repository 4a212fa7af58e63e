import { AccountFinder, effectiveAccounts } from '../../../../src/modules/books/domain/accounts.ts'
import { judge, type Circumstances, type Judgement } from '../../../../src/modules/books/domain/judgement.ts'
import { daySums, reportSums } from '../../../../src/modules/books/domain/sources.ts'
import type { BookAccountsOwn } from '../../../../src/modules/books/schemas/books-accounts.ts'
import { businessTime } from '../../../../src/core/domain/days/business-time.ts'
import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { reconcile } from '../../../../src/modules/figures/domain/reconciliation.ts'
import { checkReport } from '../../../../src/modules/figures/domain/report-checks.ts'
import { item, morning, order, reportId, uuid } from '../../../core/domain/balanced-report.ts'
import { reportOf } from '../../../support/records.ts'

const cents = (amounts: readonly number[]) => Math.round(amounts.reduce((sum, amount) => sum + amount * 1000, 0)) / 1000

/**
 * Parses orders, separated by `|`: items `11/1@10` (total, tax, rate in percent or `-`; before it `voucher:`, after it a
 * category and `-1` of discount), payments `Carte=11`, tips `tip=2` or with their payment `tip=2:Carte`.
 */
export const ordersOf = (text: string): Order[] =>
  text.split(' | ').map((one, i) => {
    const items = [...one.matchAll(/(?:(\w+):)?(-?[\d.]+)\/(-?[\d.]+)@([\d.]+|-)([A-Z]\w*)?(?:-(\d+))?/g)].map(
      ([, kind, total, tax, rate, category, discount]) =>
        item(Number(total), Number(tax), {
          ...(kind === undefined ? {} : { kind: kind as 'voucher' }),
          category: category ?? 'Plats',
          discountsApplied: discount
            ? [{ discountName: 'D', discountValue: Number(discount), discountCatalogId: '' }]
            : [],
          tax: {
            taxName: rate === '-' ? 'No tax' : 'TVA',
            taxRate: rate === '-' ? 0 : Number(rate) / 100,
            taxAmount: Number(tax),
            taxCatalogId: '',
          },
        }),
    )
    const paid = [...one.matchAll(/([^\s=]+)=(-?[\d.]+)(?::([^\s|]+))?/g)]
    const total = cents(items.map((sold) => sold.total))
    return order(101 + i, {
      items,
      total,
      totalTax: cents(items.map(({ tax }) => tax.taxAmount)),
      totalDiscount: cents(items.flatMap((sold) => sold.discountsApplied.map((one) => one.discountValue))),
      payments: paid.flatMap(([, name = '', amount]) =>
        name === 'tip' ? [] : [{ paymentName: name, paymentAmount: Number(amount), paymentCatalogId: `P-${name}` }],
      ),
      tips: paid.flatMap(([, name, amount, payment]) =>
        name === 'tip' ? [{ amount: Number(amount), ...(payment ? { paymentCatalogId: `p-${payment}` } : {}) }] : [],
      ),
    })
  })

/** Parses a Z (number 358), in cents: sales, taxes `1000:909+91` (rate, base, tax), payments `Carte=1000`. */
export const zOf = (orders: readonly Order[], text: string, changes: Partial<Report> = {}): Report =>
  reportOf(uuid(9), 358, {
    id: reportId,
    startedAt: morning,
    finalizedAt: morning,
    guestsNumber: 2 * orders.length,
    totalSales: Number(text.split(' ')[0]),
    reportProducts: [],
    reportDiscounts: [],
    reportEntries: [],
    initialCashBalance: 0,
    finalCashBalance: 0,
    reportTaxes: [...text.matchAll(/(\d+):(-?\d+)\+(-?\d+)/g)].map(([, taxRate, taxableAmount, taxAmount]) => ({
      taxName: 'TVA',
      taxRate: Number(taxRate),
      taxableAmount: Number(taxableAmount),
      taxAmount: Number(taxAmount),
    })),
    reportPayments: [...text.matchAll(/(\S+)=(-?\d+)/g)].map(([, paymentName = '', amount]) => ({
      paymentName,
      paymentAmount: Number(amount),
    })),
    orders: orders.map(({ id }) => id),
    ...changes,
  })

const time = businessTime({ timeZone: 'Europe/Paris', dayStartsAt: '05:00' })

export type Facts = Partial<Circumstances> & { own?: BookAccountsOwn; isComplete?: boolean }

const usual = { currency: 'EUR', isDayComplete: true, doubled: [], drawerBefore: undefined, isAccepted: false }
const judged = (sums: Parameters<typeof judge>[0], { own = {}, ...facts }: Facts) =>
  judge(sums, new AccountFinder(effectiveAccounts(own)), { ...usual, ...facts })

export function sumsOfReport(report: Report, orders: readonly Order[], isComplete = true) {
  const reconciliation = reconcile(report, orders, { rules: usualRules })
  const check = checkReport(report, orders, { time, reconciliation })
  return reportSums({ report, sequence: 2, isComplete }, orders, { reconciliation, check }, { time, rules: usualRules })
}

export const ofReport = (report: Report, orders: readonly Order[], facts: Facts = {}): Judgement =>
  judged(sumsOfReport(report, orders, facts.isComplete), facts)

export const ofDay = (orders: readonly Order[], facts: Facts = {}): Judgement =>
  judged(daySums({ day: '2026-03-14', orders, sequence: 2, isComplete: facts.isComplete ?? true }, usualRules), facts)

/** Returns the lines as `account amount`; a credit is negative, and ` // ` separates entries. */
export const amountsOf = ({ drafts }: Judgement): string =>
  drafts
    .map(({ lines }) => lines.map(({ account, debit, credit }) => `${account} ${debit - credit}`).join(', '))
    .join(' // ')

/** Returns the role, key and label of each line. */
export const textsOf = ({ drafts }: Judgement): string[] =>
  drafts.flatMap(({ lines }) => lines.map(({ role, key, label }) => `${role}${key === null ? '' : `=${key}`} ${label}`))

/** Splits a table into rows: cells between ` ; `, without blank lines and lines that begin with `#`. */
export const rowsOf = (table: string): string[][] =>
  table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(';').map((cell) => cell.trim()))
