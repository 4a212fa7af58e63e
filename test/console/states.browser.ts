import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/server/log.ts'
import { serverSettings, startServer } from '../../src/server/start.ts'
import { openPool } from '../../src/store/database.ts'
import { addKey, addLocation, openServer, unlimited } from '../support/app.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import {
  goTo,
  noChromium,
  openConsole,
  overflowOf,
  settled,
  visit,
  visitAs,
  visitAsOperator,
} from '../support/console.ts'
import { everyScreen, knownOf, operatorScreens, withIds } from '../support/console-screens.ts'
import { linesOf, order, orderOf } from '../support/records.ts'
import { eventually, gate } from '../support/waiting.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')

describe('states of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))

  /** Another server on the same database, for what only some settings do. */
  const serve = async (own: Record<string, string>, pool = site.pool) => {
    const settings = { role: 'api', port: '0', ...unlimited, ...own }
    const server = await startServer(pool, readConfig(serverSettings, settings, {}), createLog('silent'))
    return { url: server.url as string, key: site.key, close: () => server.close() }
  }

  test('every chart has a sentence, a table with the same figures, and a file of them', async () => {
    const { context, page } = await visitAs(browser, site)
    const { WEBHOOK } = await known
    for (const path of ['/today', '/sales?by=day&range=28d&compare=previous', `/webhooks/${WEBHOOK}`]) {
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
          chart.getByRole('button', { name: 'CSV' }).click(),
        ])
        const csv = (await readFile(await download.path(), 'utf8'))
          .replace(/^\ufeff/, '')
          .trim()
          .split('\r\n')
        assert.equal(csv.length, table.length, path)
        assert.ok(table.length > 1, path)
        const [label, ...cells] = table[1] as string[]
        assert.ok(csv[1]?.includes(label as string), path)
        for (const cell of cells.filter((text) => text !== '–')) assert.ok(csv[1]?.includes(cell), `${path} ${cell}`)
      }
    }
    await context.close()
  })

  test('what is not there is said once, with nothing to do with it', async () => {
    const { context, page } = await visitAs(browser, site)
    for (const path of ['/z', '/orders', '/webhooks']) {
      await goTo(page, site, `${path}/11111111-1111-4111-8111-111111111111`)
      await main(page).getByRole('alert').waitFor()
      assert.equal(await main(page).getByRole('alert').count(), 1, path)
      const buttons = await main(page).getByRole('button').allInnerTexts()
      assert.deepEqual(buttons.toSorted(), ['Copy as curl', 'Try again'], path)
    }
    await context.close()
  })

  test('where there is nothing yet, each screen says so and what to do', async () => {
    const { key } = await addKey(site.pool, await addLocation(site.pool))
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    const expected: readonly (readonly [path: string, text: RegExp])[] = [
      ['/today', /curl .*--data-binary @orders\.ndjson[\s\S]*tillgate simulate --to-url/],
      ['/sales', /No sales in this period/],
      ['/orders', /No orders match these filters/],
      ['/z', /No Z report in this period/],
      ['/catalog/products', /The till sends the catalogue/],
      ['/catalog/taxes', /The till sends the catalogue/],
      ['/catalog/products?view=changes', /No version has been sent yet/],
      ['/integrity', /It has not been verified yet/],
      ['/key', /No errors in this period/],
      ['/webhooks', /A webhook sends each event/],
      ['/events', /As soon as a till sends something/],
    ]
    for (const [path, text] of expected) {
      await goTo(page, site, path)
      assert.match(await main(page).innerText(), text, path)
      assert.equal(await main(page).getByRole('alert').count(), 0, path)
    }
    assert.deepEqual(findings, [])
    await context.close()
    const location = await addLocation(site.pool)
    const operator = await visitAsOperator(browser, site)
    for (const [path, text] of [
      ['/ops/tills', /idle/],
      ['/ops/rejected', /Nothing was rejected/],
      ['/ops/webhooks?state=failing', /No webhooks/],
      ['/ops/keys', /No keys/],
      ['/ops/keys?tab=audit', /Nothing has been done yet/],
    ] as const) {
      await goTo(operator.page, site, `${path}${path.includes('?') ? '&' : '?'}location=${location}`)
      assert.match(await main(operator.page).innerText(), text, path)
      assert.equal(await main(operator.page).getByRole('alert').count(), 0, path)
    }
    assert.deepEqual(operator.findings, [])
    await operator.context.close()
  })

  test('nothing is said of what is not known yet: while answers are held back each screen waits, and says no more', async () => {
    const held = gate()
    for (const [come, screens] of [
      [visitAs, everyScreen],
      [visitAsOperator, operatorScreens],
    ] as const) {
      const { context, page, findings } = await come(browser, site)
      let asked = 0
      await context.route('**/console/api/v1/**', async (route) => {
        if (!/journal\/head|\/events\/|locations/.test(route.request().url())) asked += 1
        await held.opened
        await route.continue().catch(() => undefined)
      })
      for (const screen of screens.filter((path) => !/[?&](dialog|tab|by|delivery|entry)=/.test(path))) {
        const path = withIds(screen, await known)
        asked = 0
        await page.goto(`${site.url}/console${path}${path.includes('?') ? '&' : '?'}location=${site.location}`)
        await main(page).getByRole('status', { name: 'Loading' }).first().waitFor()
        // What waits is the screen itself, not its program.
        await eventually(async () => asked > 0 || (await main(page).locator('h1').count()) > 0, `${path} asked`)
        assert.equal(await main(page).locator('[data-empty]').count(), 0, path)
        assert.equal(await main(page).getByRole('alert').count(), 0, path)
      }
      assert.deepEqual(findings, [])
      await context.close()
    }
    held.open()
  })

  test('an answer that is held back shows a place holder first, and the rows of before afterwards', async () => {
    const { context, page } = await visitAs(browser, site)
    let held = gate()
    await context.route('**/api/v1/sales/**', async (route) => {
      await held.opened
      await route.continue()
    })
    await page.goto(`${site.url}/console/sales?range=28d`)
    await main(page).getByRole('status', { name: 'Loading' }).first().waitFor()
    held.open()
    await settled(page)
    const rows = await main(page).locator('[data-row]').count()
    assert.ok(rows > 0)
    held = gate()
    await main(page).getByLabel('By', { exact: true }).selectOption('product')
    await page.waitForURL(/by=product/)
    await main(page).locator('[aria-busy=true]').waitFor()
    assert.equal(await main(page).locator('[data-row]').count(), rows, 'what was there stays')
    held.open()
    await settled(page)
    held = gate()
    const isOfEvents = (url: URL) => url.pathname.endsWith('/v1/events/') && url.searchParams.has('limit')
    await context.route(isOfEvents, async (route) => {
      await held.opened
      await route.continue()
    })
    await page.goto(`${site.url}/console/events`)
    await main(page).getByRole('status', { name: 'Loading' }).first().waitFor()
    await page.getByText(/^live ·/).waitFor()
    assert.equal(await main(page).getByText('No events yet').count(), 0, 'nothing is said before it is known')
    held.open()
    await main(page).locator('[data-row]').first().waitFor()
    await context.close()
  })

  test('what is refused is told with its title, detail, code and request, and what can be done', async () => {
    const { context, page } = await visitAs(browser, site)
    const { WEBHOOK } = await known
    const nobody = '00000000-0000-4000-8000-000000000000'
    const expected: readonly (readonly [path: string, code: string])[] = [
      [`/orders/${nobody}`, 'order_not_found'],
      [`/z/${nobody}`, 'report_not_found'],
      [`/webhooks/${nobody}`, 'webhook_not_found'],
      [`/webhooks/${WEBHOOK}?cursor=nonsense`, 'validation_failed'],
      [`/orders?location=${nobody}`, 'location_forbidden'],
    ]
    for (const [path, code] of expected) {
      await goTo(page, site, path)
      const told = main(page).getByRole('alert').filter({ hasText: code }).first()
      await told.waitFor()
      assert.match(await told.innerText(), /Request [\da-f-]{36}/, path)
      assert.ok(await told.getByRole('button', { name: 'Try again' }).isVisible(), path)
    }
    await goTo(page, site, '/nowhere')
    await main(page).getByText('There is no screen at this address.').waitFor()
    await context.close()
  })

  test('what is refused to who runs the installation is told where it was asked', async () => {
    const { context, page, findings } = await visitAsOperator(browser, site)
    const { WEBHOOK, DELIVERY } = await known
    await goTo(page, site, '/today?location=00000000-0000-4000-8000-000000000000')
    await main(page).getByRole('alert').filter({ hasText: 'location_not_found' }).first().waitFor()
    await goTo(page, site, '/ops/locations?dialog=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Chez Petit')
    await dialog.getByLabel('Time zone').fill('Europe/Atlantis')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const wrong = dialog.getByRole('alert').filter({ hasText: 'validation_failed' })
    await wrong.getByText('/timeZone').first().waitFor()
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Chez Petit', 'what was typed stays')
    await dialog.getByLabel('Time zone').fill('Europe/Paris')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await main(page).getByText('Chez Petit').first().waitFor()
    await site.pool`update webhooks set state = 'disabled', disabled_reason = 'operator' where id = ${WEBHOOK}`
    await goTo(page, site, `/webhooks/${WEBHOOK}?delivery=${DELIVERY}&location=${site.location}`)
    await dialog.getByRole('button', { name: 'Resend this event' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'webhook_disabled' }).waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a location that is deactivated, and a key that is revoked, while one looks', async () => {
    const location = await addLocation(site.pool)
    const { id, key } = await addKey(site.pool, location)
    const { context, page } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/orders')
    await site.pool`update locations set deactivated_at = now() where id = ${location}`
    const told = main(page).getByRole('alert').filter({ hasText: 'location_inactive' }).first()
    await eventually(async () => {
      await goTo(page, site, '/orders')
      return told.isVisible()
    }, 'the screen says that the location is not active')
    await told.getByText('The location is not active').waitFor()
    await site.pool`update locations set deactivated_at = null where id = ${location}`
    await site.pool`update api_keys set revoked_at = now() where id = ${id}`
    await eventually(async () => {
      await page.goto(`${site.url}/console/orders?range=7d`)
      await page.locator('h1').first().waitFor()
      return page.getByLabel('API key').isVisible()
    }, 'one is asked to sign in')
    assert.match(page.url(), /orders\?range=7d$/)
    await context.close()
  })

  test('a database that is damaged, and one that is away, and what is shown when it is back', async () => {
    // A database of its own: a table is renamed when nobody has it open, and other servers always do something.
    const own = await createDatabase()
    const location = await addLocation(own.pool)
    const { key } = await addKey(own.pool, location)
    const proxy = await startFaultProxy(own.connection)
    const pool = openPool(proxy.connection, { connections: 4, pipelining: true })
    const server = { ...(await serve({}, pool)), key }
    const now = new Date().toISOString()
    const sold = orderOf(location, 1, { createdAt: now, openedAt: now, closedAt: now, updatedAt: now })
    const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
    const pushed = await fetch(`${server.url}/v1/ingest/`, { method: 'POST', headers, body: linesOf([order(sold)]) })
    assert.equal(pushed.status, 200)
    const { context, page } = await visitAs(browser, server)
    const alertOf = (code: string) => main(page).getByRole('alert').filter({ hasText: code }).first()
    await own.pool`alter table orders rename to orders_elsewhere`
    await goTo(page, server, '/orders?range=28d')
    await alertOf('internal_error').getByText('tell whoever runs it the request number').waitFor()
    await own.pool`alter table orders_elsewhere rename to orders`
    await alertOf('internal_error').getByRole('button', { name: 'Try again' }).click()
    await main(page).locator('[data-row]').first().waitFor()
    proxy.refuse(true)
    proxy.cut()
    await main(page).getByLabel('State').selectOption('closed')
    await alertOf('database_unavailable').waitFor()
    proxy.refuse(false)
    await alertOf('database_unavailable').waitFor({ state: 'detached' })
    await settled(page)
    assert.match(page.url(), /state=closed/)
    await context.close()
    await server.close()
    await pool.end()
    await proxy.close()
  })

  test('a session that ended asks to sign in, and leads back to where one was', async () => {
    const { context, page } = await visitAs(browser, site)
    await goTo(page, site, '/orders?range=28d')
    const headers = { 'sec-fetch-site': 'same-origin' }
    await context.request.delete(`${site.url}/console/api/session`, { headers })
    await main(page).getByLabel('State').selectOption('closed')
    await page.getByLabel('API key').waitFor()
    await page.getByLabel('API key').fill(site.key)
    await page.keyboard.press('Enter')
    await settled(page)
    assert.match(page.url(), /\/orders\?range=28d&state=closed$/)
    await context.close()
  })

  test('who tries to sign in too often is told how long to wait, in both languages', async () => {
    const strict = await serve({ signIns: '2' })
    for (const [locale, button, title, waiting] of [
      ['en-GB', 'Sign in', 'Too many requests', /^Wait \d+ s$/],
      ['fr-FR', 'Se connecter', 'Trop de requêtes', /^Attendre \d+ s$/],
    ] as const) {
      const { context, page, findings } = await visit(browser, strict, { locale })
      await page.goto(`${strict.url}/console/`)
      const enter = async (key: string) => {
        await page.locator('input[name=key]').fill(key)
        await page.getByRole('button', { name: button }).click()
      }
      const alert = page.getByRole('alert')
      await eventually(async () => {
        await enter('tg_live_wrong')
        await alert.waitFor()
        return (await alert.innerText()).includes('rate_limited')
      }, 'it is refused as too often')
      assert.equal((await alert.innerText()).split(/\n+/)[0], title)
      await alert.getByText(waiting).waitFor()
      assert.deepEqual(findings, [])
      await context.close()
    }
    await strict.close()
  })

  test('too many requests are told with the seconds to wait, and it goes on by itself', async () => {
    const strict = await serve({ rateLimit: '1', rateBurst: '1' })
    const { context, page } = await visitAs(browser, strict)
    await page.goto(`${strict.url}/console/sales`)
    await page
      .getByRole('alert')
      .getByText(/^Wait \d+ s$/)
      .first()
      .waitFor()
    await settled(page)
    await main(page).locator('[data-row]').first().waitFor()
    await context.close()
    await strict.close()
  })

  test('while the server is gone the page says so, and goes on by itself when it is back', async () => {
    const first = await serve({})
    const { port } = new URL(first.url)
    const { context, page } = await visitAs(browser, first)
    await goTo(page, first, '/sales')
    await first.close()
    await main(page).getByLabel('By', { exact: true }).selectOption('hour')
    await main(page).getByText('The server is not answering').first().waitFor()
    const again = await serve({ port })
    await main(page).getByText('The server is not answering').first().waitFor({ state: 'detached' })
    await settled(page)
    assert.match(page.url(), /by=hour/)
    assert.ok((await main(page).locator('[data-row]').count()) > 0)
    await context.close()
    await again.close()
  })

  test('while the console is being built its page says so, and loads itself again with the code of its link', async () => {
    const made = await mkdtemp(join(tmpdir(), 'tillgate-console-'))
    atEnd(() => rm(made, { recursive: true, force: true }))
    const folder = join(made, 'console')
    const server = await openServer(site.pool, { console: { isOn: true, isInsecureAllowed: false, folder } })
    atEnd(() => server.close())
    const url = `http://127.0.0.1:${server.port}`
    const { context, page, findings } = await visit(browser, { url })
    await page.goto(`${url}/console/#code=kept`)
    await page.getByRole('heading', { name: 'The console is not built' }).waitFor()
    // As the build does: all of it is there at once.
    await cp(join(import.meta.dirname, '../../dist/console'), join(made, 'new'), { recursive: true })
    await rename(join(made, 'new'), folder)
    await page.getByText('The link you opened signs you in once.').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('with forced colours marks and buttons have an outline, and nothing overflows', async () => {
    const { context, page } = await visitAs(browser, site, { forcedColors: 'active' })
    for (const path of ['/webhooks', '/z', '/sales?by=product']) {
      await goTo(page, site, path)
      const bare = await main(page)
        .locator('button, [class*=mark]')
        .evaluateAll((elements: any[]) =>
          elements
            .filter((element) => element.checkVisibility() && !/quiet/.test(element.className))
            .filter((element) => (globalThis as any).getComputedStyle(element).borderTopWidth === '0px')
            .map((element) => element.textContent),
        )
      assert.deepEqual(bare, [], path)
      assert.equal(await overflowOf(page), 0, path)
    }
    await context.close()
  })

  test('single letters go through rows, to the filters and to screens, never in a field, and can be switched off', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    const linkOf = (row: number) => main(page).locator('[data-row]').nth(row).locator('a:focus')
    const press = async (keys: Iterable<string>) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await goTo(page, site, '/orders?range=28d')
    await press('jj')
    await linkOf(1).waitFor()
    await press('k')
    await linkOf(0).waitFor()
    await press('/gz')
    assert.equal(await main(page).getByLabel('Number', { exact: true }).inputValue(), 'gz')
    await goTo(page, site, '/orders?range=28d')
    await press('gz')
    await page.getByRole('heading', { name: 'Z reports' }).waitFor()
    await settled(page)
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    const isOn = help.getByLabel('Single letters act as shortcuts')
    await press('?')
    await isOn.uncheck()
    await press(['Escape'])
    await help.waitFor({ state: 'detached' })
    for (const reloads of [false, true]) {
      if (reloads) await goTo(page, site, '/z')
      // No letter does anything, nor does the one that shows them; the menu of the session leads there.
      await press('gtj?')
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.equal(new URL(page.url()).pathname, '/console/z')
      await page.getByRole('button', { name: 'Session' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Keyboard shortcuts' }).click()
      await help.waitFor()
      assert.equal(await isOn.isChecked(), false)
      await press(['Escape'])
      await help.waitFor({ state: 'detached' })
    }
    assert.deepEqual(findings, [])
    await context.close()
  })
})
