import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { PullRequest } from '../../../src/modules/sources/adapters/pull.ts'
import { mapSales } from '../../../connectors/sumup/map.ts'
import { sumupPull } from '../../../connectors/sumup/pull.ts'
import { assembleTicket } from '../../../src/modules/sources/adapters/ticket/assemble.ts'

type Json = any

const profile = { account: 'MDETEST01', timeZone: 'Europe/Berlin', currency: 'EUR' }

const file = join(import.meta.dirname, 'shops', 'sumup', 'sales.json')
const sales = (JSON.parse(readFileSync(file, 'utf8')) as { items: Json[] }).items

/** Returns the sale of a table, with these changes. */
function sale(change: (sale: Json) => void): Json {
  const copy = structuredClone(sales.find(({ name }) => name === 'Tisch 4'))
  change(copy)
  return copy
}

/** Returns why a sale is refused; undefined if it becomes an order. */
function refusalOf(document: Json): string | undefined {
  const { tickets, refused } = mapSales([document], profile)
  const [ticket] = tickets
  if (!ticket) return refused[0]?.reason
  const made = assembleTicket(ticket, { locationId: '5a000008-0000-4000-8000-000000000001', decimals: 2 })
  return 'refusal' in made ? made.refusal.detail : undefined
}

describe('a sale of SumUp', () => {
  test('is refused with the reason if it lacks something that cannot be derived', () => {
    const refusals: [change: (sale: Json) => void, reason: string][] = [
      [(one) => delete one.items[0].name, 'the line line-1 has no name'],
      [(one) => delete one.items[0].quantity, 'the line line-1 has no quantity'],
      [(one) => (one.tax_mode = 'MARGIN'), 'the tax mode MARGIN is unknown'],
      [(one) => (one.payments[1].status = 'PENDING'), 'the payment status PENDING is unknown'],
      [(one) => (one.payments[1].type = 'gift'), 'the payment type gift is unknown'],
      [
        (one) => Object.assign(one.items[2].price.taxes_final[0], { id: 'other', percentage: null }),
        'the tax other has no percentage',
      ],
      [(one) => (one.price.gross_amount = '33.62'), '"33.62" is not an amount in EUR'],
      [(one) => (one.closed_at = undefined), 'undefined is not a time'],
      [(one) => (one.currency = { code: 'CHF', scale: 2 }), 'the sale is in CHF, but the location in EUR'],
    ]
    for (const [change, reason] of refusals) assert.equal(refusalOf(sale(change)), reason)
    assert.equal(refusalOf(sale(() => {})), undefined)
  })

  test('is refused with the difference if lines or payments do not add up to it', () => {
    assert.match(
      String(refusalOf(sale((one) => one.items.pop()))),
      /^said\.total is 33\.62, but the items add up to 31\.62: a difference of 2\.00$/,
    )
    assert.match(
      String(refusalOf(sale((one) => (one.payments[1].amount = 3_000)))),
      /^said\.payments is 33\.62, but the payments add up to 30\.00: a difference of 3\.62$/,
    )
  })

  test('has amounts with the decimals of its currency', () => {
    // 33.620 in thousandths is 33.62; a thousandth is not a cent.
    const thousandths = sale((one) => {
      one.currency.scale = 3
      const grow = (value: Json, name = ''): Json => {
        if (Array.isArray(value)) return value.map((part) => grow(part))
        if (typeof value === 'object' && value !== null)
          return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, grow(part, key)]))
        return name.includes('amount') ? value * 10 : value
      }
      Object.assign(one, { items: grow(one.items), price: grow(one.price), payments: grow(one.payments) })
    })
    const [ticket] = mapSales([thousandths], profile).tickets
    assert.equal(ticket?.said?.total, 3_362)
    assert.equal(ticket?.payments[0]?.tip, 338)
    thousandths.price.gross_amount += 1
    assert.equal(refusalOf(thousandths), '33621 is not an amount in EUR')
  })

  test('is skipped if only a row without payments is known', () => {
    const row = { id: 's', state: 'CLOSED', tax_mode: 'GROSS', total_amount: 1 }
    assert.deepEqual(mapSales([row], profile).left, [{ key: '1 documents', reason: 'no sales of SumUp' }])
  })
})

describe('a query to SumUp', () => {
  const window = {
    from: new Date('2026-07-03T17:00:00Z'),
    until: new Date('2026-07-03T18:00:00Z'),
    timeZone: 'Europe/Berlin',
    dayStartsAt: '04:00',
  }
  const rowOf = ({ id, price, closed_at, currency }: Json) => ({
    id,
    currency,
    total_amount: price.gross_amount,
    closed_at,
  })
  const found = sale(() => {})

  async function requestsOf(isStored: (key: string, stamp: string) => boolean, answer: (request: PullRequest) => Json) {
    const requests: PullRequest[] = []
    const ask = async (request: PullRequest) => {
      requests.push(request)
      return answer(request)
    }
    const pages = []
    for await (const page of sumupPull.pages({ ...window, isStored }, 'MDETEST01', ask)) pages.push(page)
    return { requests: requests.map(({ method, path }) => `${method} ${path}`), pages }
  }

  test('requests a sale only if its row differs from the stored one', async () => {
    const answer = ({ path }: PullRequest) =>
      path.endsWith('/search') ? { items: [rowOf(found)] } : path.endsWith('/sales') ? { items: [] } : found
    const first = await requestsOf(() => false, answer)
    assert.deepEqual(first.requests, [
      'GET /v1.0/merchants/MDETEST01/sales',
      'POST /v1.0/merchants/MDETEST01/sales/search',
      `GET /v1.0/merchants/MDETEST01/sales/${found.id}`,
    ])
    const [document] = first.pages.flatMap(({ documents }) => documents)
    const again = await requestsOf((key, stamp) => key === document?.key && stamp === document.stamp, answer)
    assert.equal(again.requests.length, 2)
    assert.deepEqual(
      again.pages.map(({ documents, cursor }) => [documents.length, cursor]),
      [[0, '2026-07-03T18:00:00.000Z']],
    )
  })

  test('splits a time range with more than a page, without a second page', async () => {
    // Three sales at 17:10, 17:20 and 17:50; a page has two.
    const at = ['10', '20', '50'].map((minute) => `2026-07-03T17:${minute}:00.000Z`)
    const many = at.map((created_at, i) => ({ ...found, id: `sale-${i}`, created_at }))
    const { pages, requests } = await requestsOf(
      () => false,
      ({ path, body }) => {
        if (path.endsWith('/sales')) return { items: [] }
        if (!path.endsWith('/search')) return many.find(({ id }) => path.endsWith(id))
        const within = many.filter(({ created_at }) => created_at >= body.start_date && created_at <= body.end_date)
        const rows = within.toReversed().map(rowOf)
        return { items: rows.slice(0, 2), ...(rows.length > 2 ? { paging: { next: 'opaque' } } : {}) }
      },
    )
    const read = pages.flatMap(({ documents }) => documents.map(({ key }) => key))
    assert.deepEqual(read.toSorted(), ['sale-0', 'sale-1', 'sale-2'])
    assert.equal(pages.at(-1)?.cursor, '2026-07-03T18:00:00.000Z')
    assert.ok(requests.every((one) => !one.includes('opaque')))
  })

  test('fails without skipping anything if a page cannot hold the sales that started at one time', async () => {
    const answer = ({ path }: PullRequest) =>
      path.endsWith('/search') ? { items: [rowOf(found)], next: 'opaque' } : { items: [] }
    await assert.rejects(
      requestsOf(() => true, answer),
      /more sales than fit on a page started at 2026-07-03T17:00:00\.000Z/,
    )
  })

  test('refuses an answer that is not a list', async () => {
    await assert.rejects(
      requestsOf(
        () => true,
        () => ({}),
      ),
      /the response has no `items`/,
    )
  })
})
