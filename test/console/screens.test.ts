import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  findChromium,
  launch,
  noChromium,
  overflowOf,
  settled,
  signInByKey,
  startConsoleServer,
  violationsOf,
  visit,
} from '../support/console.ts'
import { addKey, addLocation } from '../support/app.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { idOf, order, orderOf, report, reportOf } from '../support/records.ts'
import { startReceiver } from '../support/receiver.ts'
import { everyScreen, screensFor } from '../support/console-screens.ts'
import { hostile } from '../support/hostile.ts'

// A minute and a half of a browser is more than the suite may take, so a command of its own looks at the console.
const isWanted = process.env['TILLGATE_CONSOLE_MATRIX'] === 'all'
const chromium = isWanted ? findChromium() : undefined
const skip = isWanted ? chromium === undefined && noChromium : 'npm run check:console looks at it in a browser'

const prepared = chromium === undefined ? undefined : await prepare(chromium)

async function prepare(executablePath: string) {
  const console = await startConsoleServer((await createDatabase()).pool)
  const browser = await launch(executablePath)
  atEnd(async () => {
    await browser.close()
    await console.close()
  })
  const receiver = await startReceiver()
  atEnd(() => receiver.close())
  return { console, browser, receiver }
}

const parts = () => {
  assert.ok(prepared)
  return prepared
}

/** Each screen in both themes and both languages. */
const looks = [
  { colorScheme: 'light', locale: 'en-GB' },
  { colorScheme: 'dark', locale: 'fr-FR' },
  { colorScheme: 'dark', locale: 'en-GB' },
  { colorScheme: 'light', locale: 'fr-FR' },
] as const

const main = (page: Page) => page.locator('#main')

describe('the console', { skip }, () => {
  for (const look of looks) {
    test(`screens in ${look.colorScheme} and ${look.locale} are accessible, titled and within their policy`, async () => {
      const { console, browser, receiver } = parts()
      const { context, page, findings } = await visit(browser, console, look)
      await signInByKey(page, console)
      const paths = await screensFor(console, receiver.url('/ok'))
      for (const path of paths) {
        await page.goto(`${console.url}/console${path}`)
        await settled(page)
        assert.deepEqual(await violationsOf(page), [], path)
        assert.match(await page.title(), /^.+ · Tillgate$/, path)
        assert.equal(await overflowOf(page), 0, path)
        assert.equal(await page.locator('html').getAttribute('lang'), look.locale.slice(0, 2))
      }
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('an order is found by its number, and its versions tell each field that changed as it was written', async () => {
    const { console, browser } = parts()
    const first = orderOf(console.location, 42, { orderNumber: 'T-1042', openedAt: new Date().toISOString() })
    await console.push([order(first)])
    const second = {
      ...first,
      orderPlace: 'Terrasse 9',
      updatedAt: new Date(Date.parse(first.updatedAt) + 60_000).toISOString(),
    }
    await console.push([order(second)])
    const { context, page, findings } = await visit(browser, console)
    await signInByKey(page, console)
    await page.goto(`${console.url}/console/orders?number=T-1042`)
    await page.getByRole('link', { name: 'T-1042' }).click()
    await page.getByRole('heading', { name: 'Order T-1042' }).waitFor()
    const change = main(page).locator('li').filter({ hasText: 'orderPlace' }).last()
    assert.equal(await change.locator('del').innerText(), JSON.stringify(first.orderPlace))
    assert.equal(await change.locator('ins').innerText(), '"Terrasse 9"')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('filters stay in the address over reload, back and forward, and nonsense in it is named', async () => {
    const { console, browser } = parts()
    const { context, page } = await visit(browser, console)
    await signInByKey(page, console)
    await page.goto(`${console.url}/console/sales`)
    await settled(page)
    await page.getByLabel('By', { exact: true }).selectOption('product')
    await page.waitForURL(/by=product/)
    await page.getByLabel('Period').selectOption('28d')
    await page.waitForURL(/range=28d/)
    await settled(page)
    const rows = await main(page).locator('[data-row]').allInnerTexts()
    assert.ok(rows.length > 5)
    await page.reload()
    await settled(page)
    assert.deepEqual(await main(page).locator('[data-row]').allInnerTexts(), rows)
    await page.goBack()
    await page.waitForURL((url) => url.searchParams.get('range') === null && url.searchParams.get('by') === 'product')
    await page.goForward()
    await page.waitForURL(/range=28d/)
    await settled(page)
    assert.deepEqual(await main(page).locator('[data-row]').allInnerTexts(), rows)
    await page.goto(`${console.url}/console/sales?by=nothing`)
    await main(page).getByText('Not understood in the address').waitFor()
    await context.close()
  })

  test('figures are those of the restaurant, whatever the zone of the browser', async () => {
    const { console, browser } = parts()
    const texts: string[] = []
    for (const timezoneId of ['America/New_York', 'Asia/Tokyo']) {
      const { context, page } = await visit(browser, console, { timezoneId })
      await signInByKey(page, console)
      await page.goto(`${console.url}/console/orders?range=28d&state=closed`)
      await settled(page)
      texts.push(await main(page).locator('table').innerText())
      await context.close()
    }
    assert.ok((texts[0] ?? '').split('\n').length > 20)
    assert.equal(texts[0], texts[1])
  })

  test('two tabs share one stream, and both show a new order without being asked', async () => {
    const { console, browser } = parts()
    const { context, page } = await visit(browser, console)
    let streams = 0
    context.on('request', (request) => {
      if (request.headers()['accept'] === 'text/event-stream') streams += 1
    })
    await signInByKey(page, console)
    await page.goto(`${console.url}/console/today`)
    await page.getByText(/^live/).waitFor()
    const before = streams
    const other = await context.newPage()
    await other.goto(`${console.url}/console/events`)
    await settled(other)
    await other.getByText(/^live ·/).waitFor()
    const now = new Date().toISOString()
    await console.push([
      order(
        orderOf(console.location, 77, {
          orderNumber: 'LIVE-77',
          createdAt: now,
          openedAt: now,
          updatedAt: now,
          closedAt: now,
        }),
      ),
    ])
    await page.getByRole('link', { name: 'LIVE-77' }).waitFor()
    await main(other).getByText('LIVE-77').first().waitFor()
    assert.equal(streams, before)
    await context.close()
  })

  test('what a till writes is shown as text: nothing runs, nothing overflows, nothing turns the page around', async () => {
    const { console, browser } = parts()
    const location = await addLocation(console.pool)
    const { key } = await addKey(console.pool, location)
    const reportId = idOf('report', 1)
    const opened = new Date(Date.now() - 3_600_000).toISOString()
    const orders = hostile.map((text, n) => {
      const made = orderOf(location, n + 1, {
        orderNumber: text.slice(0, 60),
        orderPlace: text,
        operatorName: text,
        cancelReason: text,
        createdAt: opened,
        openedAt: opened,
        closedAt: opened,
        updatedAt: opened,
      })
      return { ...made, reportId, items: made.items.map((item) => ({ ...item, description: text, category: text })) }
    })
    const z = reportOf(location, 1, {
      id: reportId,
      deviceName: hostile[0] as string,
      clerkName: hostile[1] as string,
      orders: orders.map(({ id }) => id),
      startedAt: opened,
      finalizedAt: opened,
      createdAt: opened,
      updatedAt: opened,
    })
    await console.push([...orders.map((one) => order(one)), report(z)], key)
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 320, height: 700 },
    ]) {
      const { context, page, findings } = await visit(browser, console, { viewport })
      await signInByKey(page, { ...console, key })
      for (const path of [
        '/today',
        '/orders',
        '/sales?by=product',
        '/z',
        `/z/${reportId}`,
        '/events',
        ...orders.slice(0, 3).map(({ id }) => `/orders/${id}`),
      ]) {
        await page.goto(`${console.url}/console${path}`)
        await settled(page)
        assert.equal(await overflowOf(page), 0, `${path} at ${viewport.width}`)
        assert.equal(await page.evaluate('globalThis.ran'), undefined, path)
        assert.equal(
          await page.locator('#main img, #main script, #main iframe, #main a[href^="javascript:"]').count(),
          0,
          path,
        )
      }
      assert.deepEqual(findings, [])
      await context.close()
    }
  })

  test('while the server cannot be reached the page says so, and goes on by itself', async () => {
    const { console, browser } = parts()
    const { context, page } = await visit(browser, console)
    await signInByKey(page, console)
    await page.goto(`${console.url}/console/sales`)
    await settled(page)
    await context.setOffline(true)
    await page.getByLabel('By', { exact: true }).selectOption('hour')
    await main(page).getByText('The server does not answer').waitFor()
    await context.setOffline(false)
    await main(page).getByText('The server does not answer').waitFor({ state: 'detached' })
    await settled(page)
    assert.ok((await main(page).locator('[data-row]').count()) > 0)
    await context.close()
  })

  test('a session that reads sees no integrations, and signing out ends it', async () => {
    const { console, browser } = parts()
    const { key } = await addKey(console.pool, console.location, { scopes: ['read'] })
    const { context, page } = await visit(browser, console)
    await signInByKey(page, { ...console, key })
    const names = await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link').allInnerTexts()
    assert.deepEqual(names.slice(0, 6), ['Today', 'Sales', 'Orders', 'Z reports', 'Catalogue', 'Integrity'])
    assert.ok(!names.includes('Webhooks') && !names.includes('Overview'))
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
    assert.ok(!stored.includes(key) && !stored.includes('tg_'), 'no secret where a script could read it')
    await page.getByRole('button', { name: 'Session' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    await page.goto(`${console.url}/console/orders`)
    await page.getByLabel('API key').waitFor()
    await context.close()
  })

  test('a webhook is made, tested and read about by keyboard alone', async () => {
    const { console, browser, receiver } = parts()
    receiver.answer('/mend', () => 500)
    const { context, page, findings } = await visit(browser, console)
    await signInByKey(page, console)
    await page.goto(`${console.url}/console/webhooks`)
    await settled(page)
    await page.getByRole('button', { name: 'New webhook' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('order.paid').waitFor()
    await page.getByLabel('URL').focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(receiver.url('/mend'))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const link = page.getByRole('link', { name: receiver.url('/mend') })
    await link.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Test', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send the test' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('0 of 2 were accepted.').waitFor()
    await page.getByRole('dialog').getByText('500').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the list of screens names each screen that can be gone to', async () => {
    const { console, browser } = parts()
    const { context, page } = await visit(browser, console)
    await signInByKey(page, console)
    const paths = await page
      .getByRole('navigation', { name: 'Navigation' })
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { pathname: string }).pathname.replace('/console', '')),
      )
    const screens = new Set(everyScreen.map((path) => path.replace(/\?.*/, '')))
    assert.deepEqual(
      paths.filter((path) => path !== '/docs/' && !screens.has(path)),
      [],
    )
    await context.close()
  })
})
