import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Order } from '../../src/core/contract/orders/schema.ts'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { roleScopes, sessionTimes } from '../../src/modules/console/schemas/console.ts'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import { addKey, addLocation } from '../support/app.ts'
import { soldOn, zOn } from '../support/books-site.ts'
import { noChromium, openConsole, settled, visit } from '../support/console.ts'
import { idOf, locationOf, order, orderOf, report } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 5, ordersPerDay: 6 })

const main = (page: Page) => page.locator('#main')

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const counted = (orders: readonly Order[]) => orders.filter((one) => !one.isCanceled && !one.isTraining)

const sumOf = (orders: readonly Order[]) => counted(orders).reduce((sum, { total }) => sum + total, 0)

const euros = (amount: number) => new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).format(amount)

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const

describe('tasks in the console, in taps', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts

  /** Signs in by a link. From then on, `taps` counts each touch of the page. */
  async function arrive(
    role: keyof typeof roleScopes,
    locationIds: string[] | null,
    options: BrowserContextOptions = {},
  ) {
    const who = { kind: role === 'operator' ? 'operator' : 'link', role, name: role, locationIds }
    const scopes = role === 'operator' ? [...roleScopes.operator, 'admin'] : roleScopes[role]
    const grant = { ...who, scopes, recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null }
    const times = role === 'operator' ? sessionTimes.operator : sessionTimes.owner
    const { code } = await createConsoleLink(site.pool, { ...grant, ...times } as never, new Date())
    const { context, page, findings } = await visit(browser, site, options)
    let taps = 0
    await context.exposeFunction('tellTap', () => void (taps += 1))
    await context.addInitScript("addEventListener('pointerdown', () => tellTap(), true)")
    await page.goto(`${site.url}/console/#code=${code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await main(page).locator('h1').waitFor()
    await settled(page)
    taps = 0
    const leave = async () => {
      assert.deepEqual(findings, [])
      await context.close()
    }
    return { page, leave, taps: () => taps }
  }

  /** Creates a restaurant in UTC whose day begins at midnight. Also returns functions that sell in it. */
  async function restaurant(city: string) {
    const id = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
    const { key } = await addKey(site.pool, id)
    await site.push([{ type: 'location', data: locationOf(id, { name: 'Auberge', city }) }], key)
    const sell = async (orders: Order[]) => {
      await site.push(orders.map(order), key)
      return orders
    }
    const sold = (n: number, total: number, agoMs: number, changes: Partial<Order> = {}) => {
      const at = new Date(Date.now() - agoMs).toISOString()
      const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
      return orderOf(id, n, { ...times, total, guests: 2, ...changes })
    }
    return { id, key, sell, sold }
  }

  /** Returns how long ago a minute was that has ended, on the same weekday a week ago. */
  const weekAgo = () => 7 * dayMs + Math.min(61_000, Date.now() % dayMs)

  test('an owner: today next to the same weekday, and deductions', async () => {
    const { id, sell, sold } = await restaurant('Nantes')
    const today = await sell([
      sold(1, 60, 0),
      sold(2, 40, 0, { operatorId: idOf('operator', 2), operatorName: 'Alix' }),
    ])
    const before = await sell([sold(3, 80, weekAgo())])
    const { page, leave, taps } = await arrive('owner', [id], phone)
    await main(page).getByRole('heading', { name: 'Today', exact: true }).waitFor()
    const beside = main(page)
      .getByRole('table', { name: 'The same weekday a week and a year before' })
      .locator('[data-row]')
      .first()
    const text = flat(await beside.innerText())
    assert.ok(text.includes(euros(sumOf(today))), text)
    assert.ok(text.includes(euros(sumOf(before))), text)
    assert.equal(taps(), 0, 'was 1')
    // Who gave discounts: the discounts on the items of each person's orders, as a share of what that person sold.
    await main(page).getByRole('link', { name: 'Canceled, lost and discounted' }).click()
    await settled(page)
    const off = main(page).getByRole('table', { name: 'By operator' }).locator('[data-row]')
    for (const { operatorName, items, total } of today) {
      const discounts = items.flatMap(({ discountsApplied }) => discountsApplied)
      const share = discounts.reduce((sum, { discountValue }) => sum + discountValue, 0) / total
      const row = flat(await off.filter({ hasText: operatorName ?? '' }).innerText())
      assert.equal(row, `${operatorName} ${Math.round(share * 10_000) / 100}% – –`)
    }
    assert.equal(taps(), 1, 'was 2')
    await leave()
  })

  test('an owner: all restaurants, a day that changed after its close, and the next morning', async () => {
    const [one, other] = [await restaurant('Brest'), await restaurant('Vannes')]
    const today = [...(await one.sell([one.sold(11, 100, 0)])), ...(await other.sell([other.sold(12, 250.5, 0)]))]
    const several = await arrive('owner', [one.id, other.id], phone)
    await main(several.page).getByRole('heading', { name: 'All restaurants' }).waitFor()
    await main(several.page)
      .getByText(euros(sumOf(today)))
      .waitFor()
    assert.equal(several.taps(), 0, 'was 2')
    await several.leave()

    // A closed day without a message is correct. Once one of its orders changes, the day is named with the difference.
    const [, , { id: reportId, orders: ids }] = (await site.get('/v1/reports/?size=3')).data
    const of = async () => main(closed.page).getByText('changed after the close:')
    const closed = await arrive('owner', [site.location], phone)
    assert.equal(await (await of()).count(), 0)
    const [orderId] = (await site.get(`/v1/reports/${reportId}/reconciliation`)).orders.counted as string[]
    assert.ok(ids.includes(orderId))
    const was = (await site.get(`/v1/orders/${orderId}`)) as Order
    const updatedAt = new Date().toISOString()
    const items = was.items.map((item) => ({ ...item, isCanceled: true, cancelReason: 'Offert' }))
    await site.push([
      order({ ...was, updatedAt, total: 0, totalTax: 0, totalDiscount: 0, items, payments: [], tips: null }),
    ])
    await eventually(async () => {
      await closed.page.reload()
      await settled(closed.page)
      return (await (await of()).count()) > 0
    }, 'the rewritten day is named')
    assert.ok(
      flat(await (await of()).innerText()).endsWith(`-${euros(was.total)}`),
      flat(await (await of()).innerText()),
    )
    assert.equal(closed.taps(), 0, 'was 0')
    await closed.leave()

    const { id, sell, sold } = await restaurant('Auckland')
    const yesterday = await sell([
      sold(13, 70, (Date.now() % dayMs) + 3_600_000),
      sold(14, 5.5, (Date.now() % dayMs) + 1),
    ])
    const morning = await arrive('owner', [id], phone)
    await main(morning.page).getByText('these are the figures of the day before').waitFor()
    await main(morning.page)
      .getByText(euros(sumOf(yesterday)))
      .first()
      .waitFor()
    assert.equal(morning.taps(), 0, 'was 0')
    await morning.leave()
  })

  test('an accountant: VAT, base and payments of the month, e-reporting, and the entries in a file', async () => {
    const id = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
    const { key } = await addKey(site.pool, id)
    const now = new Date()
    const inMonth = (day: number, hour: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, day, hour)).toISOString()
    const means = ['Carte bancaire', 'Livréo', 'Plateau', 'Mangetout']
    const orders = means.map((paymentName, n) =>
      soldOn({ id, key }, 2, n + 1, {
        openedAt: inMonth(12, 17),
        createdAt: inMonth(12, 17),
        closedAt: inMonth(12, 18),
        updatedAt: inMonth(12, 18),
        payments: [{ paymentName, paymentCatalogId: idOf('payment', n + 1), paymentAmount: 11 }],
      }),
    )
    const times = { createdAt: inMonth(12, 21), updatedAt: inMonth(12, 21), finalizedAt: inMonth(12, 21) }
    const z = zOn({ id, key }, 2, orders, { ...times, startedAt: inMonth(12, 8) })
    await site.push([...orders.map(order), report(z)], key)
    const month = inMonth(1, 12).slice(0, 7)
    const ready = async () => {
      const path = `/v1/books/days/?since=${month}-12&until=${month}-12`
      const answer = await fetch(`${site.url}${path}`, { headers: { 'x-api-key': key } })
      return ((await answer.json()) as any).data?.[0]?.state === 'ready'
    }
    await eventually(ready, 'the day is read')
    const { page, leave, taps } = await arrive('accountant', [id])
    await main(page).getByRole('heading', { name: 'Month', exact: true }).waitFor()
    const tax = counted(orders).reduce((sum, { totalTax }) => sum + totalTax, 0)
    const vat = flat(await main(page).getByRole('table', { name: 'VAT by rate' }).locator('[data-row]').innerText())
    assert.equal(vat, `10% ${euros(sumOf(orders) - tax)} ${euros(tax)} ${euros(sumOf(orders))}`)
    const rows = main(page).getByRole('table', { name: 'Payment methods' }).locator('[data-row]')
    await rows.nth(3).waitFor()
    assert.deepEqual(
      (await rows.allInnerTexts()).map((text) => flat(text).replace(/ .*/, '')).toSorted(),
      means.map((name) => name.replace(/ .*/, '')).toSorted(),
    )
    await main(page).getByRole('heading', { name: 'E-reporting' }).waitFor()
    assert.equal(taps(), 0, 'was 1, and 0 for e-reporting')
    // Three names have no account. The first field is touched; after Enter the next field has the focus.
    const fields = main(page).getByRole('textbox', { name: 'Account for' })
    await fields.first().click()
    for (let left = 3; left > 0; left--) {
      await page.keyboard.type('467100')
      await page.keyboard.press('Enter')
      await eventually(async () => (await fields.count()) < left, 'the account is stored')
      if (left > 1) await main(page).locator('input:focus').waitFor()
    }
    await main(page).getByText('Every name has an account').waitFor()
    // Nothing was sold after the 12th, so it is unknown whether the following days are complete.
    await main(page).getByLabel('Skip what cannot be booked').check()
    await main(page)
      .getByRole('button', { name: /^Issue up to/ })
      .click()
    await main(page)
      .getByText(`${euros(sumOf(orders))} in debit and credit`)
      .waitFor()
    await main(page).getByRole('button', { name: 'Issue 1 entry' }).click()
    await main(page).getByText('Batch 1 was issued with 1 entry.').waitFor()
    const download = page.waitForEvent('download')
    await main(page).getByRole('button', { name: 'Batch 1 as FEC' }).click()
    await download
    assert.equal(taps(), 5, 'was 6')
    await leave()
  })

  test('an integrator: a webhook, its first failure and the reason, the event again, and an event by its id', async () => {
    const { page, leave, taps } = await arrive('integrator', [site.location])
    await main(page).getByRole('heading', { name: 'Webhooks' }).waitFor()
    receiver.answer('/taps', () => 500)
    await main(page).getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('URL').fill(receiver.url('/taps'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL((url) => url.searchParams.has('made'))
    await site.sellOn()
    await main(page).getByText('The receiver answered, but not with 2xx.').first().waitFor()
    assert.equal(taps(), 2, 'was 3')
    receiver.answer('/taps', () => 204)
    await main(page).getByRole('link', { name: 'Show the last one' }).first().click()
    const before = taps()
    const known = receiver.at('/taps').length
    await page.getByRole('button', { name: 'Resend this event' }).click()
    await receiver.waitFor('/taps', known + 1)
    assert.equal(taps() - before, 1, 'was 1')
    // By keyboard alone.
    await page.keyboard.press('Escape')
    const [event] = (await site.get('/v1/events/?limit=1')).data
    const found = taps()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Order number, Z number').fill(event.id)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('entry') === String(event.sequence))
    assert.equal(taps() - found, 0, 'was 0')
    await leave()
  })

  test('an operator: all current problems', async () => {
    await site.pushBroken(orderOf(site.location, 900))
    const { page, leave, taps } = await arrive('operator', null)
    await main(page).getByRole('heading', { name: 'Fleet' }).waitFor()
    const row = main(page)
      .getByRole('row', { name: /rejected/ })
      .first()
    await row.waitFor()
    assert.match(flat(await row.innerText()), /rejected.* 1\b/)
    assert.equal(taps(), 0, 'was 0')
    await leave()
  })
})
