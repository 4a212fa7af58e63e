import type { Random } from '../../../simulator/random.ts'
import type { Answer, Call, FakeShop, VirtualClock } from './faults.ts'
import { NeutralShop, type Line, type Refund, type Sale } from './neutral-shop.ts'

type Json = any

const iso = (ms: number) => new Date(ms).toISOString()

const text = (minor: number) => (minor / 100).toFixed(6)

/** A restaurant on Lightspeed K: changes of sales are not announced, and pages may be empty and have a next page. */
export class FakeLightspeedK implements FakeShop {
  readonly account = '770000000009'
  readonly #shop: NeutralShop

  constructor(seed: number, clock: VirtualClock) {
    this.#shop = new NeutralShop('lightspeed-k', seed, clock, ['edit', 'refund', 'cancel', 'offline'])
  }

  act(): void {
    this.#shop.act()
  }

  settle(): void {
    this.#shop.settle()
  }

  state(): Json[] {
    return this.#shop
      .list()
      .flatMap((sale) => [this.#sale(sale), ...sale.refunds.map((refund) => this.#refund(sale, refund))])
  }

  spoil(body: Json, random: Random): void {
    const sales: Json[] = body.sales ?? []
    if (sales.length === 0) return
    const at = random.int(0, sales.length - 1)
    if (random.chance(0.5)) sales[at] = null
    else sales[at].salesLines = null
  }

  answer({ path, query }: Call): Answer {
    const place = `/f/v2/business-location/${this.account}`
    const byTime = this.state().toSorted((a, b) =>
      a.timeClosed < b.timeClosed ? -1 : a.timeClosed > b.timeClosed ? 1 : 0,
    )
    if (path === `${place}/sales-daily`) {
      const sales = byTime.filter(
        ({ timeClosed }) => iso(Date.parse(timeClosed) - 4 * 3_600_000).slice(0, 10) === query.get('date'),
      )
      return { status: 200, body: { sales, dataComplete: true } }
    }
    if (path !== `${place}/sales`) return { status: 404, body: {} }
    if (Number(query.get('pageSize')) > 100) return { status: 400, body: {} }
    const found = byTime.filter(
      ({ timeClosed }) => timeClosed >= (query.get('from') ?? '') && timeClosed <= (query.get('to') ?? ''),
    )
    const from = Number(query.get('nextPageToken') ?? 0)
    const size = this.#shop.random.int(0, 20)
    const next = from + size < found.length ? { nextPageToken: String(from + size) } : {}
    return { status: 200, body: { sales: found.slice(from, from + size), ...next } }
  }

  #line({ key, name, quantity, amount, tax }: Omit<Line, 'isVoided'>, i: number): Json {
    return {
      id: `l${i}`,
      sku: key,
      name,
      quantity: String(quantity),
      totalNetAmountWithTax: text(amount),
      totalDiscountAmount: '0.00',
      serviceCharge: '0.00',
      taxLines: [{ taxId: '1', taxCode: 'VAT', taxRate: '1.10', taxAmount: text(tax), taxIncluded: true }],
      aNewMember: null,
    }
  }

  #frame(key: string, openedMs: number, closedMs: number): Json {
    return {
      accountFiscId: key,
      receiptId: `R${key}`,
      timeOfOpening: iso(openedMs),
      timeClosed: iso(closedMs),
      deviceId: 80,
      deviceName: 'till-1',
      ownerId: 21,
      ownerName: 'Ruth',
      nbCovers: 2,
      dineIn: true,
    }
  }

  #sale(sale: Sale): Json {
    return {
      ...this.#frame(`A${sale.number}`, sale.openedMs, sale.closedMs as number),
      type: 'SALE',
      cancelled: sale.isCanceled,
      tableNumber: String(sale.table),
      salesLines: sale.lines.filter(({ isVoided }) => !isVoided).map((line, i) => this.#line(line, i)),
      payments: sale.payments.map(({ type, amount, tip }) => ({
        code: type,
        paymentMethodId: type,
        description: type,
        netAmountWithTax: text(amount),
        tip: text(tip),
      })),
    }
  }

  #refund(sale: Sale, { atMs, amount, tax, line }: Refund): Json {
    const { key, name } = sale.lines[line] as Line
    const [payment] = sale.payments
    return {
      ...this.#frame(`A${sale.number}.2`, atMs, atMs),
      type: 'REFUND',
      cancelled: false,
      salesLines: [this.#line({ key, name, quantity: -1, amount: -amount, tax: -tax }, 0)],
      payments: [
        {
          code: payment?.type,
          paymentMethodId: payment?.type,
          description: payment?.type,
          netAmountWithTax: text(-amount),
          tip: '0.00',
        },
      ],
    }
  }
}
