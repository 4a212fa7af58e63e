import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visitAs, visitAsOperator } from '../support/console.ts'
import { overflowOf } from '../support/console-looks.ts'
import { everyScreen, isOfSession, knownOf, operatorScreens, withIds } from '../support/console-screens.ts'
import { eventually, gate } from '../support/waiting.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')

describe('states of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))

  test('an unknown item is reported once, without actions on it', async () => {
    const { context, page } = await visitAs(browser, site)
    const buttons = 'Copy as curl,Try again'
    for (const path of ['/z', '/orders', '/webhooks']) {
      await goTo(page, site, `${path}/11111111-1111-4111-8111-111111111111`)
      // While the screen loads again, for example when live updates begin, it shows a placeholder.
      const areAll = async () => (await main(page).getByRole('button').allInnerTexts()).toSorted().join() === buttons
      await eventually(areAll, `${path} has ${buttons}`)
      await main(page).getByRole('alert').waitFor()
      assert.equal(await main(page).getByRole('alert').count(), 1, path)
    }
    await context.close()
  })

  test('an empty screen states that it is empty and what to do', async () => {
    const { key } = await addKey(site.pool, await addLocation(site.pool))
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    const expected: readonly (readonly [path: string, text: RegExp])[] = [
      ['/today', /curl .*--data-binary @orders\.ndjson[\s\S]*tillgate simulate --to-url/],
      ['/sales', /No sales in this period/],
      ['/orders', /^(?![\s\S]*Clear filters)[\s\S]*No orders in this period/],
      ['/orders?state=open', /Clear filters[\s\S]*No orders match these filters/],
      ['/z', /No Z report in this period/],
      // With a filter, only matches are known to be missing.
      ['/z?verdict=balanced', /No matches/],
      ['/sales?weekday=1', /No matches/],
      ['/catalog/products', /Tills send the catalog/],
      ['/catalog/taxes', /Tills send the catalog/],
      ['/catalog/products?view=changes', /No versions yet/],
      ['/integrity', /It has not been verified yet/],
      ['/key', /counted no errors in this period/],
      ['/webhooks', /A webhook sends the events that you choose/],
      ['/events', /As soon as a till sends something/],
      ['/deductions', /No deductions/],
      ['/deductions?range=28d', /No deductions/],
    ]
    for (const [path, text] of expected) {
      await goTo(page, site, path)
      assert.match(await main(page).innerText(), text, path)
      assert.equal(await main(page).getByRole('alert').count(), 0, path)
      const headings = await main(page).locator('table:has(tbody:empty)').allInnerTexts()
      assert.deepEqual(headings, [], `${path}: no table without rows`)
    }
    assert.deepEqual(findings, [])
    await context.close()
    const location = await addLocation(site.pool)
    const operator = await visitAsOperator(browser, site)
    for (const [path, text] of [
      ['/ops/tills', /idle/],
      ['/ops/rejected?only=yes', /No rejected records/],
      ['/ops/keys?only=yes', /No key fits this filter/],
      ['/ops/keys?tab=audit&only=yes', /No actions/],
    ] as const) {
      await goTo(operator.page, site, `${path}${path.includes('?') ? '&' : '?'}location=${location}`)
      assert.match(await main(operator.page).innerText(), text, path)
      assert.equal(await main(operator.page).getByRole('alert').count(), 0, path)
    }
    assert.deepEqual(operator.findings, [])
    await operator.context.close()
  })

  test('unknown data is not reported as empty: while answers are delayed each screen waits', async () => {
    const held = gate()
    for (const [come, screens] of [
      [visitAs, everyScreen.filter((path) => !isOfSession(path))],
      [visitAsOperator, operatorScreens],
    ] as const) {
      const { context, page, findings } = await come(browser, site)
      let requests = 0
      await context.route('**/console/api/v1/**', async (route) => {
        if (!/journal\/head|\/events\/|locations/.test(route.request().url())) requests += 1
        await held.opened
        await route.continue().catch(() => undefined)
      })
      for (const screen of screens.filter((path) => !/[?&](dialog|tab|by|delivery|entry|record)=/.test(path))) {
        const path = withIds(screen, await known)
        requests = 0
        await page.goto(`${site.url}/console${path}${path.includes('?') ? '&' : '?'}location=${site.location}`)
        await main(page).getByRole('status', { name: 'Loading' }).first().waitFor()
        // Only the data of the screen is delayed, not its program.
        await eventually(async () => requests > 0 || (await main(page).locator('h1').count()) > 0, `${path} loads`)
        assert.equal(await main(page).locator('[data-empty]').count(), 0, path)
        assert.equal(await main(page).getByRole('alert').count(), 0, path)
      }
      assert.deepEqual(findings, [])
      await context.close()
    }
    held.open()
  })

  test('a delayed answer shows a placeholder first, and on later loads the previous rows', async () => {
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
    assert.equal(await main(page).getByText('No events yet').count(), 0, 'no text before it is known')
    held.open()
    await main(page).locator('[data-row]').first().waitFor()
    await context.close()
  })

  test('a refusal is shown with its title, detail, code and request, and what to do', async () => {
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
      const alert = main(page).getByRole('alert').filter({ hasText: code }).first()
      await alert.waitFor()
      assert.match(await alert.innerText(), /Request [\da-f-]{36}/, path)
      assert.ok(await alert.getByRole('button', { name: 'Try again' }).isVisible(), path)
    }
    await goTo(page, site, '/nowhere')
    await main(page).getByText('There is no screen at this address.').waitFor()
    await context.close()
  })

  test('a refusal to an operator is shown where it was requested', async () => {
    const { context, page, findings } = await visitAsOperator(browser, site)
    const { WEBHOOK, DELIVERY } = await known
    await goTo(page, site, '/today?location=00000000-0000-4000-8000-000000000000')
    await main(page).getByRole('alert').filter({ hasText: 'location_not_found' }).first().waitFor()
    await goTo(page, site, '/ops?dialog=new')
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

  test('with forced colors marks and buttons have an outline, and nothing overflows', async () => {
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
    // The bars of a chart have the colors that its legend shows.
    await goTo(page, site, '/sales?by=day&range=28d&compare=previous')
    await main(page).locator('figure canvas').waitFor()
    const hasColor = `(() => {
      const canvas = document.querySelector('figure canvas')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      const legend = getComputedStyle(document.querySelector('figure [data-kind=bar]'), '::before').backgroundColor
      for (let at = 0; at < data.length; at += 4)
        if (legend === 'rgb(' + data[at] + ', ' + data[at + 1] + ', ' + data[at + 2] + ')' && data[at + 3] === 255) return true
      return false
    })()`
    await eventually(() => page.evaluate<boolean>(hasColor), 'the legend has the colour of the bars')
    await context.close()
  })

  test('single-letter shortcuts move through rows, to the filters and to screens, never in a field, and can be disabled', async () => {
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
      // Shortcuts do nothing now, not even the one that lists them; the session menu leads to the list.
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
