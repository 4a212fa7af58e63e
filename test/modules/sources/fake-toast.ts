import type { Random } from '../../../simulator/random.ts'
import type { Answer, Call, FakeShop, VirtualClock } from './faults.ts'
import { NeutralShop, type Line, type Sale } from './neutral-shop.ts'

type Json = any

const time = (ms: number) => new Date(ms).toISOString().replace('Z', '+0000')

const major = (minor: number) => minor / 100

const businessDate = (ms: number) => Number(new Date(ms - 4 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', ''))

/**
 * A restaurant on Toast: refunds inside payments, deletions as a mark, numbered pages that shift while orders change.
 */
export class FakeToast implements FakeShop {
  readonly account = 'rest-1'
  readonly #shop: NeutralShop

  constructor(seed: number, clock: VirtualClock) {
    this.#shop = new NeutralShop('toast', seed, clock, ['open', 'edit', 'refund', 'cancel', 'delete', 'offline'])
  }

  act(): void {
    this.#shop.act()
  }

  settle(): void {
    this.#shop.settle()
  }

  state(): Json[] {
    return this.#shop.list().map((sale) => this.#order(sale))
  }

  spoil(body: Json, random: Random): void {
    const orders: Json[] = Array.isArray(body) ? body : []
    if (orders.length === 0 || typeof orders[0] !== 'object') return
    const at = random.int(0, orders.length - 1)
    const kind = random.int(0, 2)
    if (kind === 0) orders[at] = null
    else if (kind === 1) orders[at].checks[0].selections = null
    else orders[at].checks[0].selections[0].appliedTaxes[0].taxAmount = 'much'
  }

  answer({ path, query, body }: Call): Answer {
    if (path.endsWith('/login')) return { status: 200, body: { token: { accessToken: body.clientSecret } } }
    if (path === '/orders/v2/ordersBulk') {
      const [start, end] = ['startDate', 'endDate'].map((name) =>
        Date.parse((query.get(name) ?? '').replace('+0000', 'Z')),
      )
      const size = Number(query.get('pageSize'))
      if (size > 100) return { status: 400, body: { message: 'pageSize is 100 at most' } }
      const page = Number(query.get('page'))
      // The documents are in an arbitrary order.
      const found = this.#shop
        .list()
        .filter(({ changedMs }) => changedMs >= (start as number) && changedMs <= (end as number))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      return { status: 200, body: found.slice((page - 1) * size, page * size).map((sale) => this.#order(sale)) }
    }
    const [, name = ''] = /^\/orders\/v2\/orders\/(.+)$/.exec(path) ?? []
    const sale = this.#shop.sales.get(name)
    if (name !== '') return sale ? { status: 200, body: this.#order(sale) } : { status: 404, body: {} }
    return this.#payments(path, query)
  }

  #payments(path: string, query: URLSearchParams): Answer {
    const all = this.#shop
      .list()
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap((sale) => this.#order(sale).checks[0].payments)
    if (path === '/orders/v2/payments') {
      const [[by, date] = []] = [...query]
      return { status: 200, body: all.filter((one) => String(one[by as string]) === date).map(({ guid }) => guid) }
    }
    const payment = all.find(({ guid }) => path === `/orders/v2/payments/${guid}`)
    return payment ? { status: 200, body: payment } : { status: 404, body: {} }
  }

  #selection({ key, name, quantity, amount, tax, isVoided }: Line, i: number, sale: Sale): Json {
    const refund = sale.refunds.find(({ line }) => line === i)
    return {
      guid: `${sale.id}-s${i}`,
      displayName: name,
      item: { guid: key },
      quantity,
      preDiscountPrice: major(amount),
      price: major(amount),
      tax: major(tax),
      taxInclusion: 'INCLUDED',
      voided: isVoided,
      deferred: false,
      appliedDiscounts: [],
      appliedTaxes: [{ taxRate: { guid: 't10' }, name: 'VAT', rate: 0.1, taxAmount: major(tax) }],
      modifiers: [],
      aNewMember: true,
      ...(refund
        ? {
            refundDetails: {
              refundAmount: major(refund.amount - refund.tax),
              taxRefundAmount: major(refund.tax),
              refundTransaction: { guid: refund.id },
            },
          }
        : {}),
    }
  }

  #order(sale: Sale): Json {
    const counted = sale.lines.filter(({ isVoided }) => !isVoided)
    const total = counted.reduce((sum, { amount }) => sum + amount, 0)
    const tax = counted.reduce((sum, one) => sum + one.tax, 0)
    const [refund] = sale.refunds
    const closed = sale.closedMs === null ? null : time(sale.closedMs)
    return {
      guid: sale.id,
      openedDate: time(sale.openedMs),
      modifiedDate: time(sale.changedMs),
      closedDate: closed,
      deleted: sale.isDeleted,
      businessDate: businessDate(sale.openedMs),
      voided: sale.isCanceled,
      ...(sale.isCanceled ? { voidDate: time(sale.changedMs) } : {}),
      source: 'In Store',
      numberOfGuests: 2,
      server: { guid: 'w1' },
      createdDevice: { id: 'd1' },
      checks: [
        {
          guid: `check-${sale.number}`,
          displayNumber: String(sale.table),
          openedDate: time(sale.openedMs),
          closedDate: closed,
          modifiedDate: time(sale.changedMs),
          voided: sale.isCanceled,
          deleted: false,
          taxAmount: major(tax),
          totalAmount: major(total),
          appliedDiscounts: [],
          appliedServiceCharges: [],
          selections: sale.lines.map((line, i) => this.#selection(line, i, sale)),
          payments: sale.payments.map((payment) => ({
            guid: payment.id,
            checkGuid: `check-${sale.number}`,
            orderGuid: sale.id,
            type: payment.type === 'CARD' ? 'CREDIT' : payment.type,
            amount: major(payment.amount),
            tipAmount: major(payment.tip),
            paidDate: time(sale.closedMs ?? 0),
            paidBusinessDate: businessDate(sale.closedMs ?? 0),
            paymentStatus: sale.isCanceled ? 'VOIDED' : 'CAPTURED',
            refundStatus: refund ? 'PARTIAL' : 'NONE',
            ...(refund
              ? {
                  refundBusinessDate: businessDate(refund.atMs),
                  refund: {
                    refundAmount: major(refund.amount),
                    tipRefundAmount: 0,
                    refundDate: time(refund.atMs),
                    refundTransaction: { guid: refund.id },
                  },
                }
              : {}),
          })),
        },
      ],
    }
  }
}
