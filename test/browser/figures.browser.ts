import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { appendAccess } from '../../src/core/store/accounts/access.ts'
import { hourMs } from '../../src/core/domain/days/time-units.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { knownOf } from '../support/console-screens.ts'
import { idOf, itemOf, order, orderOf } from '../support/records.ts'

const parts = await openConsole({ ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')
const rowsOf = (page: Page) => main(page).locator('[data-row]').allInnerTexts()

/** Resolves to the number of pages of the list on screen. */
async function pagesOf(page: Page): Promise<number> {
  const pageLabel = main(page).getByText(/^Page \d+ of \d+$/)
  return (await pageLabel.count()) === 0 ? 1 : Number(/\d+$/.exec(await pageLabel.first().innerText())?.[0])
}

const euros = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })

/** Returns a time zone in which it is about six in the evening, so that hours ago are on the same business day. */
function eveningZone(): string {
  const east = ((18 - new Date().getUTCHours() + 36) % 24) - 12
  return `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`
}

describe('the figures of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))

  test('are those of today, of the selected days only, and of the same weekday for comparison', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: eveningZone() })
    const { key } = await addKey(site.pool, location)
    const now = Date.now()
    const sold = (n: number, hoursAgo: number, total: number, changes: object = {}) => {
      const at = new Date(now - hoursAgo * hourMs).toISOString()
      const made = orderOf(location, n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, total })
      const item = { ...made.items[0], description: `Plat ${n}`, itemCatalogId: made.id, total, discountsApplied: [] }
      const payments = [{ paymentAmount: total, paymentName: `Carte ${n}`, paymentCatalogId: idOf('payment', n) }]
      return order({ ...made, items: [item], menus: [], payments, tips: null, totalDiscount: 0, ...changes } as never)
    }
    await site.push(
      [
        sold(1, 3, 30, { guests: 2 }),
        sold(2, 2, 12.5, { guests: 1 }),
        sold(3, 1, 8, { closedAt: null, payments: [] }),
        sold(4, 1, 77, { isCanceled: true }),
        sold(5, 7 * 24 + 3, 40),
        sold(6, 24, 999),
      ],
      key,
    )
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/today')
    const figures = main(page).locator('dl').first()
    const valueOf = async (name: string) =>
      (
        await figures
          .locator('div')
          .filter({ has: page.getByRole('term').getByText(name, { exact: true }) })
          .locator('dd')
          .innerText()
      ).split('\n')
    const [sales, note] = await valueOf('Sales incl. tax')
    assert.equal(sales, '€42.50')
    assert.equal(note, '+6%')
    await main(page)
      .getByText(/^Compared with an average \w+day of the last four weeks up to 18:\d\d/)
      .waitFor()
    assert.equal((await valueOf('Orders'))[0], '2')
    assert.equal((await valueOf('Covers'))[0], '3')
    assert.equal((await valueOf('Average per order'))[0], '€21.25')
    assert.equal((await valueOf('Average per cover'))[0], '€14.17')
    const open = await valueOf('Open orders')
    assert.deepEqual([open[0], /^€8\.00 · the oldest since \d\d:\d\d$/.test(open[1] ?? '')], ['1', true])
    const inTable = (name: string) => main(page).getByRole('table', { name }).locator('[data-row]').allInnerTexts()
    assert.deepEqual(
      (await inTable('Top products')).map((row) => row.replaceAll(/\s+/g, ' ')),
      ['Plat 1 1 €30.00', 'Plat 2 1 €12.50'],
    )
    assert.deepEqual(
      (await inTable('Payments')).map((row) => row.replaceAll(/\s+/g, ' ')),
      ['Carte 1 1 €30.00', 'Carte 2 1 €12.50'],
    )
    await figures.getByRole('link').click()
    await page.waitForURL((url) => url.searchParams.get('state') === 'open')
    await settled(page)
    assert.deepEqual(
      (await rowsOf(page)).map((row) => row.split('\t')[0]),
      ['1003'],
    )
    const sheetOf = async (path: string) => {
      await goTo(page, site, path)
      const rows = await main(page).getByRole('table', { name: 'Sales', exact: true }).getByRole('row').allInnerTexts()
      return rows.find((row) => row.startsWith('Sales incl. tax'))?.replaceAll(/\s+/g, ' ')
    }
    assert.match((await sheetOf('/sales?range=today&compare=weekday')) ?? '', /€42\.50 €40\.00 \+6%$/)
    assert.match((await sheetOf('/sales?range=yesterday')) ?? '', /€999\.00$/)
    assert.match((await sheetOf('/sales?range=7d')) ?? '', /€1,041\.50$/)
    assert.match((await sheetOf('/sales?range=28d')) ?? '', /€1,081\.50$/)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a restaurant in Tokyo has yen without decimals everywhere', async () => {
    const location = await addLocation(site.pool, undefined, { currency: 'JPY', timeZone: 'Asia/Tokyo' })
    const { key } = await addKey(site.pool, location)
    const now = new Date().toISOString()
    const times = { createdAt: now, openedAt: now, closedAt: now, updatedAt: now }
    const sums = { total: 1280, totalTax: 116, totalDiscount: 0 }
    const made = orderOf(location, 9, { ...times, ...sums, orderNumber: 'JP9' })
    const items = made.items
      .slice(0, 1)
      .map((item) => ({ ...item, total: 1280, unitPrice: 1280, discountsApplied: [] }))
    await site.push([order({ ...made, items, menus: [] })], key)
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/sales?by=total&range=7d')
    await main(page).getByText('JP¥1,280').first().waitFor()
    await goTo(page, site, '/orders?range=7d')
    assert.match((await rowsOf(page)).join('\n'), /JP9[\s\S]*JP¥1,280$/)
    for (const path of ['/today', `/orders/${made.id}`]) {
      await goTo(page, site, path)
      assert.ok(!/€|128,000|1,280\.00/.test(await main(page).innerText()), path)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a three-decimal currency fits next to a chart and among figures, in a half-hour time zone, and excluded orders are linked', async () => {
    const timeZone = 'Asia/Kolkata'
    const location = await addLocation(site.pool, undefined, { currency: 'TND', timeZone })
    const { key } = await addKey(site.pool, location)
    const now = new Date().toISOString()
    const times = { createdAt: now, openedAt: now, closedAt: now, updatedAt: now }
    const dear = orderOf(location, 9, { ...times, total: 119_400, orderNumber: 'TN9' })
    const items = dear.items.slice(0, 1).map((item) => ({ ...item, total: 119_400, discountsApplied: [] }))
    const canceled = orderOf(location, 10, { ...times, isCanceled: true, orderNumber: 'TN10' })
    await site.push([order({ ...dear, items, menus: [] }), order(canceled)], key)
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/today')
    const [figure] = await main(page).locator('dd span').allInnerTexts()
    assert.match(String(figure), /TND\s119,400\.000/)
    const wide = `[...document.querySelectorAll('#main dd, #main dd *')].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline').length`
    assert.equal(await page.evaluate<number>(wide), 0)
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
    assert.ok((await main(page).innerText()).includes(clock.format(new Date(now))))
    await goTo(page, site, '/sales?range=today')
    const sheet = main(page).getByRole('table', { name: 'Sales', exact: true })
    assert.match(await sheet.innerText(), /of which at 10%\s+TND\s1\.000/)
    await main(page).getByRole('link', { name: /^1 · / }).click()
    await page.waitForURL((url) => url.searchParams.get('canceled') === 'true')
    await settled(page)
    assert.deepEqual(
      (await rowsOf(page)).map((row) => row.split('\t')[0]),
      ['TN10'],
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('every amount on a screen comes from the API: the page adds up none', async () => {
    const { ORDER, REPORT } = await known
    const { context, page } = await visitAs(browser, site)
    const answers: Promise<string>[] = []
    context.on('response', (answer) => {
      if (answer.headers()['content-type']?.startsWith('application/json'))
        answers.push(answer.text().catch(() => 'null'))
    })
    const screens = [
      '/today',
      '/sales?by=product&compare=previous&range=28d',
      '/sales?by=day&range=28d',
      '/sales?by=weekday%2ChalfHour&range=28d',
      '/orders?range=28d',
      `/orders/${ORDER}`,
      '/z',
      `/z/${REPORT}`,
      '/catalog/products',
    ]
    for (const path of screens) {
      answers.length = 0
      await goTo(page, site, path)
      const answered = new Set<string>()
      for (const text of await Promise.all(answers)) {
        JSON.parse(text, (_, value) => {
          if (typeof value !== 'number') return value
          // Figures show hundredths, documents show decimals; the reader may see another sign.
          for (const amount of [value, value / 100]) answered.add(euros.format(Math.abs(amount)))
          return value
        })
      }
      // Comparison columns show only differences, which the page computes.
      await page.evaluate('for (const one of document.querySelectorAll("[data-difference]")) one.remove()')
      const shown = (await main(page).innerText()).match(/€[\d,]+\.\d\d/g) ?? []
      assert.ok(shown.length > 0, `${path} has amounts`)
      assert.deepEqual(
        shown.filter((amount) => !answered.has(amount)),
        [],
        path,
      )
    }
    await context.close()
  })

  test('half hours by weekday are a table in the order of the business day, with the figures of the API', async () => {
    const { since: until } = (await site.get('/v1/sales/')).meta
    const since = new Date(Date.parse(until) - 27 * 86_400_000).toISOString().slice(0, 10)
    const { data } = await site.get(`/v1/sales/?by=weekday,halfHour&since=${since}&until=${until}`)
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/sales?by=weekday%2ChalfHour&since=${since}&until=${until}`)
    const table = main(page).getByRole('table', { name: 'Weekday × half hour' })
    const times = await table.getByRole('rowheader').allInnerTexts()
    const place = (time: string) => (Number(time.slice(0, 2)) + 19) % 24
    assert.deepEqual(
      times.map(place),
      times.map(place).toSorted((a, b) => a - b),
    )
    for (const { period, key, salesInclTax } of data) {
      const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: key }) })
      const cell = row.getByRole('cell').nth(Number(period) - 1)
      assert.equal((await cell.innerText()).trim(), euros.format(salesInclTax / 100), `${period} ${key}`)
    }
    await main(page)
      .getByText(/^The busiest half hour is \w+day at \d\d:\d\d/)
      .waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a focused amount of the heat map is fully visible on a phone, from every direction: the sticky times do not cover it', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    // Two times per weekday, with amounts so large that a phone shows only one and a half columns.
    const sold = Array.from({ length: 14 }, (_, n) => {
      const day = new Date(Date.now() - (2 + (n % 7)) * 24 * hourMs).toISOString().slice(0, 10)
      const at = `${day}T${n < 7 ? '12:10' : '19:40'}:00.000Z`
      const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
      return order(orderOf(location, n, { ...times, total: 1234.5, items: [itemOf(n, { total: 1234.5 })], menus: [] }))
    })
    await site.push(sold, key)
    const { context, page, findings } = await visitAs(browser, { ...site, key }, { locale: 'fr-FR' })
    await page.setViewportSize({ width: 320, height: 800 })
    await goTo(page, site, '/sales?by=weekday%2ChalfHour&range=28d')
    const hidden = `(() => {
      const links = [...document.querySelectorAll('table tbody th[scope=row] ~ td a')]
      const region = links[0].closest('[role=region]')
      return [links, links.toReversed()].map((way) => way.filter((one) => {
        one.focus()
        const { left, right } = one.getBoundingClientRect()
        const times = one.closest('tr').querySelector('th').getBoundingClientRect().right
        return left < times - 1 || right > region.getBoundingClientRect().right + 1
      }).length + ' of ' + way.length + ' hidden')
    })()`
    assert.deepEqual(await page.evaluate(hidden), ['0 of 14 hidden', '0 of 14 hidden'])
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a figure leads to its orders, in the same number, and an amount filters them', async () => {
    await known
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/sales?by=weekday%2ChalfHour&range=28d')
    const halfHours = main(page).getByRole('table', { name: 'Weekday × half hour' })
    const cell = halfHours.getByRole('cell').getByRole('link').first()
    const amount = await cell.innerText()
    await cell.click()
    await page.waitForURL((url) => url.searchParams.has('weekday') && url.searchParams.has('halfHour'))
    await settled(page)
    assert.ok((await main(page).locator('[data-row] td:last-child').first().innerText()) !== '', amount)
    for (const by of ['discount', 'hour', 'weekday', 'tax', 'payment', 'product', 'category']) {
      await goTo(page, site, `/sales?by=${by}&range=28d`)
      if (by === 'discount' && (await main(page).getByText('Nothing to list').count()) > 0) continue
      // A weekday without sales has no link.
      const row = main(page)
        .locator('[data-row]')
        .filter({ has: page.getByRole('link') })
        .first()
      const orders = Number(await row.getByRole('cell').nth(1).innerText())
      await row.getByRole('link').click()
      await page.waitForURL((url) => url.pathname.endsWith('/orders') && url.searchParams.has(by))
      await settled(page)
      const rows = await rowsOf(page)
      const all = await pagesOf(page)
      assert.equal(rows.length, Math.min(orders, 50), by)
      assert.equal(all, Math.max(1, Math.ceil(orders / 50)), by)
      await main(page).getByRole('button', { name: 'Copy as curl' }).first().waitFor()
    }
    const totals = () => main(page).locator('[data-row] td:last-child').allInnerTexts()
    const amounts = (await totals()).map((text) => Number(text.replace(/[€,]/g, '')))
    const least = amounts.toSorted((a, b) => a - b).at(-1) ?? 0
    await page.getByLabel('Total from').fill(String(least))
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('min') === String(least))
    await settled(page)
    const left = (await totals()).map((text) => Number(text.replace(/[€,]/g, '')))
    assert.ok(left.length > 0 && left.every((amount) => amount >= least), String(left))
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a figure leads only to orders that it counts, not to one whose only item was canceled or lost', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const at = new Date(Date.now() - 26 * hourMs).toISOString()
    const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
    const plain = { isCanceled: false, isLoss: false, discountsApplied: [] }
    const dish = itemOf(1, { ...plain, total: 11, tax: { ...itemOf(1).tax, taxRate: 0.1, taxAmount: 1 } })
    const tax = { ...itemOf(2).tax, taxRate: 0.2, taxAmount: 2 }
    const beer = itemOf(2, { ...plain, description: 'Bière', category: 'Bières', total: 12, tax })
    const sold = (n: number, items: object[]) =>
      order({ ...orderOf(location, n, times), orderNumber: `F${n}`, items, menus: [] })
    const [canceled, lost] = [
      { ...beer, isCanceled: true },
      { ...beer, isLoss: true },
    ]
    await site.push([sold(1, [dish, beer]), sold(2, [dish, canceled]), sold(3, [dish, lost])], key)
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    for (const [by, name] of [
      ['tax', '20%'],
      ['product', 'Bière'],
      ['category', 'Bières'],
    ] as const) {
      await goTo(page, site, `/sales?by=${by}&range=7d`)
      const row = main(page)
        .locator('[data-row]')
        .filter({ has: page.getByRole('link', { name, exact: true }) })
      assert.equal(await row.getByRole('cell').nth(1).innerText(), '1', by)
      await row.getByRole('link', { name, exact: true }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/orders') && url.searchParams.has(by))
      await settled(page)
      assert.deepEqual(
        (await rowsOf(page)).map((text) => text.split('\t')[0]),
        ['F1'],
        by,
      )
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('every chart has a description, a table with the same figures, and a file of them', async () => {
    const { context, page } = await visitAs(browser, site)
    const { WEBHOOK } = await known
    const { id: keyId } = await site.get('/v1/keys/own')
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000).toISOString()
    // The clock is stopped, so that the minutes before now do not change while the screen is open.
    await page.clock.setFixedTime(new Date())
    const counts = { requests: 7, refused: 2, rateLimited: 1, failed: 0, documents: 0, from: null, to: null }
    const reads = { kind: 'reads', keyId, operation: 'listOrders', minute, ...counts } as const
    await appendAccess(site.pool, site.location, [reads], { now: new Date() })
    for (const path of ['/today', '/sales?by=day&range=28d&compare=previous', `/webhooks/${WEBHOOK}`, '/key']) {
      await goTo(page, site, path)
      const charts = main(page).locator('figure')
      await charts.first().waitFor()
      for (let n = 0; n < (await charts.count()); n += 1) {
        const chart = charts.nth(n)
        assert.match((await chart.locator('figcaption span').first().innerText()).trim(), /.{10,}\.$/, path)
        await chart.locator('canvas').waitFor()
        await chart.getByRole('button', { name: 'As a table' }).click()
        const table = await chart
          .getByRole('table')
          .evaluate((element: any) =>
            [...element.rows].map((row: any) => [...row.cells].map((cell: any) => cell.innerText)),
          )
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          chart.getByRole('button', { name: 'CSV for programs' }).click(),
        ])
        const csv = (await readFile(await download.path(), 'utf8'))
          .replace(/^\ufeff/, '')
          .trim()
          .split('\r\n')
        assert.equal(csv.length, table.length, path)
        assert.ok(table.length > 1, path)
        const digits = (text: string) => Number(text.replaceAll(/[^\d.]/g, '')) || 0
        for (const [at, line] of csv.entries()) {
          if (at === 0) continue
          const shown = (table[at] as string[]).slice(1)
          const written = line.split(',').slice(1)
          // Response times are not shown in the unit in which they are stored.
          if (shown.some((text) => /m?s$/.test(text))) continue
          assert.deepEqual(written.map(Number), shown.map(digits), `${path} ${line}`)
        }
      }
    }
    await context.close()
  })
})
