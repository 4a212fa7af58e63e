import assert from 'node:assert/strict'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { rm } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, tabTo, visit, visitAs } from '../support/console.ts'
import { linesOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const parts = await openConsole({ ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')
const rowsOf = (page: Page) => main(page).locator('[data-row]').allInnerTexts()

describe('a restaurant in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const sold = site.sellOn()
  /** Resolves to the newest Z report and its orders. */
  const lastReport = async () => {
    await sold
    const [report] = (await site.get('/v1/reports/?size=1&sort=-createdAt')).data
    const orders = (await site.get(`/v1/orders/?reportId=${report.id}&size=50`)).data
    return { report, orders }
  }

  test('ticket 1042 is found with Ctrl K by keyboard alone, and its versions show each field as it was sent', async () => {
    const first = orderOf(site.location, 42, { orderNumber: '1042', openedAt: new Date().toISOString() })
    await site.push([order(first)])
    const updatedAt = new Date(Date.parse(first.updatedAt) + 60_000).toISOString()
    const second = linesOf([order({ ...first, updatedAt, orderPlace: 'Terrasse 9' })])
    await pushText(second.replaceAll('"unitPrice":12.5,', '"unitPrice":12.50,'))
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/today')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Search' }).getByRole('searchbox').waitFor()
    await page.keyboard.type('1042')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Order 1042.*Place: Terrasse 9/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order 1042' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('h1:focus').waitFor()
    const change = main(page).locator('li').filter({ hasText: 'orderPlace' }).last()
    assert.equal(await change.locator('del').innerText(), JSON.stringify(first.orderPlace))
    assert.equal(await change.locator('ins').innerText(), '"Terrasse 9"')
    const price = main(page).locator('li').filter({ hasText: 'items[0].unitPrice' }).last()
    assert.deepEqual(await price.locator('del, ins').allInnerTexts(), ['12.5', '12.50'])
    assert.match(await main(page).getByRole('region', { name: 'As stored' }).innerText(), /"unitPrice": 12\.50,/)
    assert.deepEqual(findings, [])
    await context.close()
  })

  const pushText = async (body: string) => {
    const headers = { 'x-api-key': site.key, 'content-type': 'application/x-ndjson' }
    const answer = await fetch(`${site.url}/v1/ingest/`, { method: 'POST', headers, body })
    assert.equal(answer.status, 200, await answer.text())
  }

  test('a Z with a difference leads to the order that causes it, by keyboard alone', async () => {
    const { report, orders } = await lastReport()
    const cause = orders.find((one: any) => !one.isCanceled && !one.isTraining && one.payments.length === 1)
    const [payment] = cause.payments
    const updatedAt = new Date(Date.parse(cause.updatedAt) + 60_000).toISOString()
    const payments = [{ ...payment, paymentAmount: payment.paymentAmount - 1 }]
    await site.push([order({ ...cause, updatedAt, payments })])
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/z?verdict=unbalanced')
    await main(page)
      .locator('[data-row]')
      .filter({ hasText: /differ/ })
      .first()
      .waitFor()
    await tabTo(page, `Z ${report.reportNumber}`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Z ${report.reportNumber}`, exact: true }).waitFor()
    await settled(page)
    await tabTo(page, cause.orderNumber)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Order ${cause.orderNumber}` }).waitFor()
    await settled(page)
    const check = main(page).getByRole('row', { name: /Payments cover the total/ })
    await check.getByText(/^is /).waitFor()
    assert.equal(
      await main(page)
        .getByRole('row', { name: /agrees/ })
        .count(),
      3,
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('an owner signs in by a single-use link and out again, by keyboard alone, sees no integrations, and reads what others need', async () => {
    const { url } = await site.post('/v1/console/links', { role: 'owner', scopes: ['read'], name: 'Mme Petit' })
    const { context, page } = await visit(browser, site)
    await page.goto(url)
    await page.getByText('The link you opened signs you in once.').waitFor()
    assert.ok(!page.url().includes('code'), 'the code is out of the address')
    await tabTo(page, 'Sign in')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    const names = await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link').allInnerTexts()
    assert.deepEqual(names.slice(0, 6), ['Home', 'Sales', 'Orders', 'Days', 'Month', 'Settings'])
    assert.ok(!names.some((name) => ['Webhooks', 'API', 'Fleet', 'Access'].includes(name)))
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
    // The secret of the page is stored, but does not give access without the cookie.
    assert.ok(!/tg(?!p_)[a-z]*_/.test(stored), 'no key, code or session where a script could read it')
    // Any reader may follow the journal, but only those who have a key do so in a terminal.
    await goTo(page, site, '/events')
    await main(page).locator('[data-row]').first().waitFor()
    assert.equal(await main(page).getByText('tillgate listen').count(), 0)
    // At any address, the screen names the missing right, offers nothing and requests nothing.
    const paths: string[] = []
    page.on('request', (request) => paths.push(new URL(request.url()).pathname))
    for (const [path, right] of [
      ['/webhooks?dialog=new', 'webhooks'],
      [`/webhooks/${crypto.randomUUID()}?dialog=edit`, 'webhooks'],
      ['/ops?dialog=new', 'operate'],
      ['/ops/keys?dialog=key', 'operate'],
      ['/ops/rejected?only=yes', 'operate'],
      ['/ops/sources?dialog=new', 'operate'],
      ['/ops/system', 'operate'],
    ] as const) {
      await goTo(page, site, path)
      await main(page).getByText('This session does not have that right').waitFor()
      await main(page).getByText('scope_missing').waitFor()
      await main(page).getByText(`Rights: ${right}`).waitFor()
      assert.equal(await main(page).locator('button, a, [role=dialog]').count(), 0, path)
      assert.equal(await page.getByRole('dialog').count(), 0, path)
    }
    assert.deepEqual(
      paths.filter((path) => /\/v1\/(webhooks|admin)\//.test(path)),
      [],
    )
    await tabTo(page, 'Session')
    await page.keyboard.press('Enter')
    await page.getByText('Mme Petit').waitFor()
    await tabTo(page, 'Sign out')
    await page.keyboard.press('Enter')
    await page.getByLabel('API key').waitFor()
    await page.goto(url)
    await page.reload()
    await page.getByLabel('API key').waitFor()
    await context.close()
    const other = await visit(browser, site)
    await other.page.goto(url)
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByText('It has already been used').waitFor()
    await other.context.close()
  })

  test('times are those of Paris in New York and in Tokyo, also on the days of clock changes', async () => {
    const location = await addLocation(site.pool)
    const { key } = await addKey(site.pool, location)
    const at = (n: number, instant: string) =>
      order(
        orderOf(location, n, {
          orderNumber: `T${n}`,
          createdAt: instant,
          openedAt: instant,
          closedAt: instant,
          updatedAt: instant,
        }),
      )
    // 01:30, then 03:30 half an hour of summer time later; the day of the 28th ends at 05:00, which is 03:00 in UTC.
    const spring = [at(1, '2026-03-29T00:30:00.000Z'), at(2, '2026-03-29T01:30:00.000Z')]
    const borders = [at(3, '2026-03-29T02:59:00.000Z'), at(4, '2026-03-29T03:00:00.000Z')]
    // 02:30 twice; the day of the 24th ends at 05:00, which is 04:00 in UTC.
    const autumn = [at(5, '2026-10-25T00:30:00.000Z'), at(6, '2026-10-25T01:30:00.000Z')]
    const lastBorders = [at(7, '2026-10-25T03:59:00.000Z'), at(8, '2026-10-25T04:00:00.000Z')]
    await site.push([...spring, ...borders, ...autumn, ...lastBorders], key)
    const seen = async (page: Page, day: string) => {
      await goTo(page, site, `/orders?since=${day}&until=${day}`)
      const cells = main(page).locator('[data-row]')
      // The year is only shown if it is not the current one.
      return cells.evaluateAll((rows) =>
        rows.map((row: any) => `${row.cells[0].innerText} ${row.cells[1].innerText.replace(' 2026', '')}`),
      )
    }
    for (const timezoneId of ['America/New_York', 'Asia/Tokyo']) {
      const { context, page } = await visitAs(browser, { ...site, key }, { timezoneId })
      await goTo(page, site, '/orders')
      await page.getByRole('banner').getByText('Paris · Europe/Paris').waitFor()
      assert.deepEqual((await seen(page, '2026-03-28')).map(flat), [
        'T3 29 Mar, 04:59',
        'T2 29 Mar, 03:30',
        'T1 29 Mar, 01:30',
      ])
      assert.deepEqual((await seen(page, '2026-03-29')).map(flat), ['T4 29 Mar, 05:00'])
      assert.deepEqual((await seen(page, '2026-10-24')).map(flat), [
        'T7 25 Oct, 04:59',
        'T6 25 Oct, 02:30',
        'T5 25 Oct, 02:30',
      ])
      assert.deepEqual((await seen(page, '2026-10-25')).map(flat), ['T8 25 Oct, 05:00'])
      const exact = main(page).locator('time[datetime="2026-10-25T04:00:00.000Z"]').first()
      assert.equal(await exact.getAttribute('title'), '2026-10-25T04:00:00.000Z')
      await goTo(page, site, '/sales?by=hour&since=2026-10-24&until=2026-10-24')
      assert.match((await rowsOf(page)).join('\n'), /^02 h\s+2\s/m)
      await context.close()
    }
  })

  test('an order opens next to its list, in the address, by keyboard alone, and Escape returns to its row', async () => {
    const { orders } = await lastReport()
    const { id, orderNumber } = orders[0]
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/orders?range=28d&number=${orderNumber}`)
    const drawer = page.getByRole('dialog', { name: `Order ${orderNumber}` })
    await tabTo(page, orderNumber)
    await page.keyboard.press('Enter')
    await drawer.getByRole('term').filter({ hasText: 'Opened' }).waitFor()
    assert.match(page.url(), new RegExp(`number=${orderNumber}.*order=`))
    await page.reload()
    await drawer.getByRole('term').filter({ hasText: 'Opened' }).waitFor()
    await page.goBack()
    await drawer.waitFor({ state: 'detached' })
    await page.goForward()
    await drawer.waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    assert.ok(!page.url().includes('order='))
    await tabTo(page, orderNumber)
    await page.keyboard.press('Enter')
    await drawer.getByRole('term').filter({ hasText: 'Opened' }).waitFor()
    await tabTo(page, 'Versions, checks and webhooks of this order')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname.startsWith('/console/orders/'))
    await page.getByRole('heading', { name: `Order ${orderNumber}` }).waitFor()
    assert.ok(orders.some((order: any) => page.url().includes(order.id)) || page.url().includes(id))
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('JSON is folded, searched and partly copied, as it was sent, by keyboard', async () => {
    const now = new Date().toISOString()
    const made = orderOf(site.location, 77, { orderNumber: 'J77', openedAt: now, createdAt: now, updatedAt: now })
    const text = linesOf([order(made)]).replaceAll('"unitPrice":12.5,', '"unitPrice":12.50,')
    assert.ok(text.includes('12.50'))
    await pushText(text)
    const stored = await (
      await fetch(`${site.url}/v1/orders/${made.id}`, { headers: { 'x-api-key': site.key } })
    ).text()
    const items = stored.slice(stored.indexOf('"items":') + 8, stored.indexOf(']', stored.lastIndexOf('unitPrice')))
    const { context, page, findings } = await visitAs(browser, site)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await goTo(page, site, `/orders/${made.id}`)
    const json = main(page).getByRole('region', { name: 'As stored' })
    const line = (name: string | RegExp) => json.getByRole('treeitem').filter({ hasText: name })
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await json.getByRole('treeitem').first().focus()
    await press('ArrowRight', 'End', 'Home', 'ArrowDown')
    while (!(await json.locator('[role=treeitem]:focus').innerText()).includes('"items"')) await press('ArrowDown')
    const inside = line('"itemCatalogId"')
    assert.ok((await inside.count()) > 0)
    await press('ArrowLeft')
    await json.locator('[aria-expanded=false]:focus').waitFor()
    assert.equal(await inside.count(), 0, 'what is folded is not there')
    await json.getByRole('button', { name: 'Copy this part' }).click()
    await json.getByRole('button', { name: 'Copied' }).waitFor()
    const part = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.ok(stored.includes(part) && part.startsWith('[{') && part.endsWith('}]'), part.slice(0, 100))
    assert.ok(part.includes('"unitPrice":12.50,') && items.startsWith(part.slice(0, 50)))
    await json.getByRole('button', { name: 'Unfold all' }).click()
    await inside.first().waitFor()
    await json.getByRole('button', { name: 'Fold all' }).click()
    assert.equal(await inside.count(), 0)
    await json.getByRole('searchbox').fill('unitprice')
    await press('Enter')
    await json.locator('[data-fit]').first().waitFor()
    assert.equal(await json.locator('[data-fit]').count(), stored.split('"unitPrice"').length - 1)
    await json.getByRole('button', { name: 'Copy', exact: true }).click()
    const isCopied = async () => (await page.evaluate<string>('navigator.clipboard.readText()')) === stored
    await eventually(isCopied, 'all of it is copied')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the catalog shows what a push changed, in money and by the name of the price', async () => {
    const products = await site.get('/v1/catalog/')
    const [first] = products
    const [price, ...others] = first.priceList
    const dearer = { ...first, priceList: [{ ...price, unitPrice: price.unitPrice + 100 }, ...others] }
    await site.push([{ type: 'catalog.products', data: [dearer, ...products.slice(1)] }])
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/catalog/products')
    await page.getByLabel('Show').selectOption('changes')
    await page.waitForURL(/view=changes/)
    await settled(page)
    const field = main(page).locator('li').filter({ hasText: 'priceList.unitPrice' }).last()
    const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })
    assert.deepEqual(await field.locator('del, ins').allInnerTexts(), [
      money.format(price.unitPrice / 100),
      money.format(price.unitPrice / 100 + 1),
    ])
    assert.match(await field.innerText(), new RegExp(price.priceTypeName))
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a Z prints on A4: its verdict and its figures, without the elements for the screen', async () => {
    const { report } = await lastReport()
    const { context, page } = await visitAs(browser, site, { colorScheme: 'dark' })
    await goTo(page, site, `/z/${report.id}`)
    await page.emulateMedia({ media: 'print' })
    for (const hidden of [page.getByRole('navigation'), page.getByRole('button', { name: 'Print' })]) {
      assert.equal(await hidden.first().isVisible(), false)
    }
    assert.ok(await main(page).getByRole('table', { name: 'Proof' }).isVisible())
    assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)')
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, width, height]) => [
      Math.round(Number(width)),
      Math.round(Number(height)),
    ])
    assert.ok(sizes.length > 0)
    assert.deepEqual([...new Set(sizes.map(String))], ['595,842'])
    // Each sheet names its restaurant, because sheets are separated.
    const file = join(tmpdir(), `sheet-${process.pid}.pdf`)
    await page.pdf({ preferCSSPageSize: true, path: file })
    const { stdout, error } = spawnSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
    await rm(file)
    if (error === undefined) {
      const sheets = stdout.split('\f').slice(0, sizes.length)
      assert.equal(sheets.length, sizes.length)
      const { name } = await site.get('/v1/locations/own')
      for (const [i, sheet] of sheets.entries()) {
        assert.match(sheet, new RegExp(`${name}.*printed`), `sheet ${i + 1}: ${sheet.slice(-200)}`)
        assert.match(sheet, new RegExp(`${i + 1} ?/ ?${sizes.length}`))
      }
    }
    // The printed height is that of the content, plus at most a row per page: no page is half empty, and no text
    // overlaps.
    const [acrossPx, downPx, rowPx] = [688, 1016, 40]
    await page.setViewportSize({ width: acrossPx, height: downPx })
    const length = await page.evaluate<number>('document.querySelector("#main").getBoundingClientRect().height')
    assert.ok(
      sizes.length <= Math.ceil((length + rowPx * sizes.length) / downPx),
      `${sizes.length} pages, ${length} px`,
    )
    await context.close()
  })
})
