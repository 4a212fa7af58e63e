import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import type { Order } from '../../src/core/contract/orders/schema.ts'
import { recordUpkeep } from '../../src/core/store/db/upkeep.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visitAs, visitAsOperator } from '../support/console.ts'
import { idOf, itemOf, locationOf, order, orderOf, report } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'
import { soundOrder, zReportOf } from '../support/z-reports.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

const flat = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Returns the business day this many days before today, for a restaurant in UTC whose day begins at five. */
const dayOf = (ago: number) => new Date(Date.now() - 5 * 3_600_000 - ago * dayMs).toISOString().slice(0, 10)

describe('the calendar of days in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /**
   * Creates a restaurant with one till that sold for 60.00 and for 135.20 on the given days, and closed each day with
   * the next Z.
   */
  async function restaurant(name: string, soldAgo: readonly number[], numberOf: (ago: number) => number) {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const ask = async (path: string) =>
      (await fetch(`${site.url}${path}`, { headers: { 'x-api-key': key } })).json() as any
    const device = { id: idOf('device', 1), name: 'Caisse 1', model: 'M' }
    const sold = (ago: number) =>
      [60, 135.2].map((total, n): Order => {
        const at = `${dayOf(ago)}T12:0${n}:00.000Z`
        const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
        const made = orderOf(location, ago * 10 + n, times)
        const item = itemOf(1, {
          total,
          unitPrice: total,
          quantity: 1,
          isCanceled: false,
          isLoss: false,
          discountsApplied: [],
        })
        const number = { orderNumber: `T${ago}-${n}`, reportId: idOf('report', 100 + ago) }
        return soundOrder({ ...made, ...number, items: [item], menus: [] })
      })
    const z = (ago: number, orders: Order[]) =>
      zReportOf(location, 100 + ago, orders, {
        reportNumber: numberOf(ago),
        finalizedAt: `${dayOf(ago)}T22:30:00.000Z`,
        deviceIdentifier: idOf('device', 1),
        deviceName: 'Caisse 1',
      })
    await site.push([{ type: 'location', data: locationOf(location, { name, deviceList: [device] }) }], key)
    for (const ago of soldAgo) await site.push([...sold(ago).map(order), report(z(ago, sold(ago)))], key)
    return { ...site, key, location, ask, sold, z }
  }

  test('a day rewritten with a matching Z is red on the Z, its list, the day, Today, Sales and the overview, with amount and ticket', async () => {
    const at = await restaurant('Chez Réécrite', [5, 4, 3, 2, 1], (ago) => 10 - ago)
    await eventually(
      async () => (await at.ask(`/v1/business-days/${dayOf(3)}`)).status === 'complete',
      'it was complete',
    )
    const datesOf = async (type: string) =>
      (await at.ask(`/v1/events/?after=0&types=${type}`)).data.map(({ data }: any) => data.date)
    await eventually(async () => (await datesOf('day.completed')).includes(dayOf(3)), 'it was announced')
    const [kept, gone] = at.sold(3) as [Order, Order]
    const canceled = { ...gone, isCanceled: true, total: 0, payments: [], updatedAt: new Date().toISOString() }
    const rewritten = { ...at.z(3, [kept, canceled]), updatedAt: new Date().toISOString() }
    await site.push([order(canceled), report(rewritten)], at.key)
    await eventually(async () => (await datesOf('day.revised')).includes(dayOf(3)), 'it was revised')
    const { context, page, findings } = await visitAs(browser, at)
    const alert = () => main(page).getByText(/day changed after the close/)
    for (const path of ['/today', '/sales?range=7d', '/deductions?range=7d']) {
      await goTo(page, at, path)
      assert.match(flat(await alert().innerText()), /^1 day changed after the close: .+ -€135\.20$/, path)
    }
    await alert().getByRole('link').click()
    await page.waitForURL((url) => url.searchParams.get('day') === dayOf(3))
    assert.match(
      flat(
        await main(page)
          .getByText(/^Complete on/)
          .innerText(),
      ),
      /with €195\.20\. Changed on .+: now €60\.00\. -€135\.20$/,
    )
    const changed = main(page).getByRole('table', { name: 'Changed after the close' }).locator('[data-row]')
    await changed
      .getByText(/, Caisse 1/)
      .first()
      .waitFor()
    assert.match(
      flat(await changed.innerText()),
      /^T3-1 €135\.20 Camille, Caisse 1 · .+ not counted Camille, Caisse 1 · .+ -€135\.20$/,
    )
    const cell = main(page).getByRole('link', { name: /changed/ })
    assert.match(flat(await cell.innerText()), /changed €60\.00$/)
    await goTo(page, at, '/z?range=28d')
    const rows = await main(page).locator('[data-row]').allInnerTexts()
    assert.deepEqual(
      rows.filter((row) => row.includes('day changed')).map((row) => row.slice(0, 3)),
      ['Z 7'],
    )
    // All figures of this Z agree, which is shown next to the change of the day.
    await goTo(page, at, `/z/${rewritten.id}`)
    await main(page).getByText('This report is balanced').waitFor()
    assert.match(
      flat(
        await main(page)
          .getByText(/^This day changed/)
          .innerText(),
      ),
      / -€135\.20$/,
    )
    await main(page).getByText('This Z was sent in 2 versions').waitFor()
    const versions = await main(page).locator('ol > li').allInnerTexts()
    assert.equal(versions.length, 2)
    assert.match(flat(versions[0] ?? ''), /totalSales was 19520 → is 6000|totalSales .*19520.*6000/)
    assert.deepEqual(findings, [])
    await context.close()
    const operator = await visitAsOperator(browser, site)
    await goTo(operator.page, site, '/ops')
    const trouble = main(operator.page).getByRole('row', { name: /Days changed after their close · 1/ })
    assert.match(await trouble.innerText(), /Chez Réécrite/)
    // The day may be in the previous month, but the problem links to it in any case.
    await trouble.getByRole('link').click()
    await operator.page.waitForURL((url) => url.pathname.endsWith('/days'))
    await settled(operator.page)
    const alerted = main(operator.page).getByText(/day changed after the close/)
    assert.match(flat(await alerted.innerText()), /^1 day changed after the close: .+ -€135\.20$/)
    await operator.context.close()
  })

  test('a day without sales is a gap in the calendar, the chart and the table, and a missing Z has a date and is counted', async () => {
    // Four days ago the restaurant was closed; the Z of three days ago skips one number.
    const at = await restaurant('Chez Trou', [6, 5, 3, 2, 1], (ago) => (ago >= 5 ? 16 - ago : 17 - ago))
    await eventually(
      async () => (await at.ask(`/v1/business-days/${dayOf(1)}`)).reports.length === 1,
      'the days are read',
    )
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, `/sales?since=${dayOf(6)}&until=${dayOf(1)}&by=day`)
    const days = main(page).getByRole('table', { name: 'Day', exact: true }).locator('[data-row]')
    assert.equal(await days.count(), 6)
    assert.match(flat(await days.nth(2).innerText()), / 0 – .*–$/)
    assert.match(flat(await days.nth(1).innerText()), /€195\.20$/)
    const stateOf = async (ago: number) => {
      await goTo(page, at, `/days?month=${dayOf(ago).slice(0, 7)}`)
      const day = new Date(`${dayOf(ago)}T12:00:00Z`).toLocaleDateString('en-GB', {
        dateStyle: 'full',
        timeZone: 'UTC',
      })
      return flat(await main(page).getByRole('link', { name: day }).innerText())
    }
    assert.match(await stateOf(5), /complete €195\.20$/)
    assert.match(await stateOf(4), /incomplete Z 12, 13 missing$/)
    await goTo(page, at, '/z?range=28d')
    const figure = main(page).locator('dl div').filter({ hasText: 'Z missing' })
    assert.equal(await figure.locator('dd').innerText(), '2')
    const gap = await main(page)
      .getByRole('row', { name: /Z 12 to 13 are missing/ })
      .innerText()
    const before = new Date(`${dayOf(5)}T00:00:00Z`).toLocaleDateString('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
      ...(dayOf(5).slice(0, 4) === dayOf(0).slice(0, 4) ? {} : { year: 'numeric' }),
    })
    assert.ok(gap.includes(`after ${before}`), gap)
    // Days that end with missing data show this, even if the next Z belongs to a later day.
    const listOf = async (at: Page) =>
      (await main(at).locator('[data-row]').allInnerTexts()).map((row) => flat(row.split('\t')[0] ?? '').trim())
    await goTo(page, at, `/z?since=${dayOf(6)}&until=${dayOf(4)}`)
    assert.equal(await figure.locator('dd').innerText(), '2')
    assert.deepEqual(await listOf(page), ['Z 12 to 13 are missing', 'Z 11', 'Z 10'])
    // No order is missing: Today shows the Z reports.
    await goTo(page, at, '/today')
    const complete = flat(
      await main(page)
        .getByText(/^Complete up to/)
        .innerText(),
    )
    assert.match(complete, /; the 14 days before were checked/)
    assert.match(complete, / · Caisse 1 Z 12, 13 missing$/)
    assert.deepEqual(findings, [])
    await context.close()
    // A till that counts in tens has not skipped a Z.
    const tens = await restaurant('Chez Dizaine', [5, 4, 3, 2], (ago) => 100 - 10 * ago)
    await eventually(
      async () => (await tens.ask(`/v1/business-days/${dayOf(2)}`)).reports.length === 1,
      'the days are read',
    )
    const other = await visitAs(browser, tens)
    await goTo(other.page, tens, '/z?range=28d')
    const none = main(other.page).locator('dl div').filter({ hasText: 'Z missing' })
    assert.equal(await none.locator('dd').innerText(), '0')
    assert.deepEqual(await listOf(other.page), ['Z 80', 'Z 70', 'Z 60', 'Z 50'])
    for (const path of ['/days', `/month?month=${dayOf(2).slice(0, 7)}`, '/today']) {
      await goTo(other.page, tens, path)
      assert.doesNotMatch(await main(other.page).innerText(), /Z [\d, –]+ missing/, path)
    }
    await other.context.close()
  })

  test('the fleet shows for each location the open days since its last complete data, and its last backup', async () => {
    // The only till last sold four days ago: the three days since then have ended and are open.
    const at = await restaurant('Chez Flotte', [7, 6, 5, 4], (ago) => 30 - ago)
    const backup = new Date(Date.now() - 3 * 3_600_000)
    await recordUpkeep(site.pool, at.location, 'backup', { at: backup, ok: true })
    const { context, page, findings } = await visitAsOperator(browser, site)
    const rowOf = async () => {
      await goTo(page, site, '/ops?find=Chez+Flotte')
      const row = main(page).getByRole('table', { name: 'Locations' }).locator('[data-row]')
      const heads = await main(page).getByRole('table', { name: 'Locations' }).getByRole('columnheader').allInnerTexts()
      const cells = (await row.locator('td').allInnerTexts()).map(flat)
      return Object.fromEntries(heads.map((head, n) => [flat(head), cells[n]]))
    }
    await eventually(async () => (await rowOf())['Open days'] === '3', 'its days are read')
    assert.match((await rowOf())['Last backup'] ?? '', /\(3 hr ago\)$/)
    await main(page).getByText('Columns', { exact: true }).click()
    await main(page).getByRole('checkbox', { name: 'Last backup' }).uncheck()
    assert.ok(!('Last backup' in (await rowOf())))
    // Without any data the number of days is unknown, and there is no link.
    const unknown = await addLocation(site.pool)
    await goTo(page, site, `/ops?find=${unknown}`)
    const days = main(page).getByRole('table', { name: 'Locations' }).locator('td[data-head="Open days"]')
    assert.equal(await days.innerText(), '–')
    assert.equal(await days.getByRole('link').count(), 0)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a closed day is no alarm while the next Z of the till is awaited, but is one when a Z is missing', async () => {
    const at = await restaurant('Chez Fermée', [5, 4, 3, 2], (ago) => 20 - ago)
    await eventually(
      async () => (await at.ask(`/v1/business-days/${dayOf(1)}`)).waitingFor.length === 1,
      'the till is waited for',
    )
    const { context, page, findings } = await visitAs(browser, at)
    for (const path of ['/today', '/sales?range=7d', `/month?month=${dayOf(1).slice(0, 7)}`]) {
      await goTo(page, at, path)
      assert.doesNotMatch(await main(page).innerText(), /incomplete|differing/, path)
    }
    const stateOf = async () => {
      await goTo(page, at, `/days?day=${dayOf(1)}`)
      return flat(await main(page).locator('td[aria-current]').innerText())
    }
    assert.match(await stateOf(), /no sales$/)
    // The Z of today skips one number: the Z of the day before is missing.
    const closedNow = { reportNumber: 20, finalizedAt: new Date().toISOString() }
    await site.push([report({ ...at.z(0, []), ...closedNow })], at.key)
    await eventually(
      async () => (await at.ask(`/v1/business-days/${dayOf(1)}`)).missingReports.length === 1,
      'its Z is missing',
    )
    assert.match(await stateOf(), /incomplete Z 19 missing$/)
    await goTo(page, at, '/today')
    await main(page).getByText('1 day incomplete, or with a Z that differs').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a ticket changed after the Z is listed on the Z, the day and the books with both versions and senders, in seven-digit amounts', async () => {
    const at = await restaurant('Chez Tardive', [4, 3, 2], (ago) => 40 - ago)
    const big = (n: number, total: number, changes: object = {}): Order => {
      const time = `${dayOf(1)}T12:0${n}:00.000Z`
      const item = itemOf(1, { total, unitPrice: total, quantity: 1, discountsApplied: [] })
      const times = { createdAt: time, openedAt: time, closedAt: time, updatedAt: time }
      const made = {
        ...orderOf(at.location, 50 + n, times),
        orderNumber: `BIG-${n}`,
        reportId: idOf('report', 101),
      }
      return { ...soundOrder({ ...made, items: [item], menus: [] }), ...changes }
    }
    const orders = [big(1, 52_345.6), big(2, 12_345.67), big(3, 20)]
    // The Z of another till is missing for that day: the day was never complete, so it cannot have been rewritten.
    await site.push([...orders.map(order), report({ ...at.z(1, orders), reportNumber: 40 })], at.key)
    const late = new Date().toISOString()
    await site.push(
      [order({ ...big(2, 12_345.67), isCanceled: true, total: 0, payments: [], operatorName: 'Zoé', updatedAt: late })],
      at.key,
    )
    await eventually(
      async () => (await at.ask(`/v1/business-days/${dayOf(1)}`)).reports[0]?.verdict === 'unbalanced',
      'the Z differs',
    )
    const { context, page, findings } = await visitAs(browser, at)
    const row = /^BIG-2 €12,345\.67 Camille, Caisse 1 · .+ not counted Zoé, Caisse 1 · .+ -€12,345\.67$/
    const z = idOf('report', 101)
    for (const path of [`/z/${z}`, `/days?day=${dayOf(1)}`, `/month?day=${dayOf(1)}`]) {
      await goTo(page, at, path)
      const rows = main(page).getByRole('table', { name: 'Changed after the close' }).locator('[data-row]')
      // The names of tills are loaded by a separate request.
      await rows
        .getByText(/, Caisse 1/)
        .first()
        .waitFor()
      assert.deepEqual(
        (await rows.allInnerTexts()).filter((text) => !row.test(flat(text))),
        [],
        path,
      )
      assert.equal(await rows.count(), 1, path)
    }
    // There is one warning instead of many.
    assert.equal(await main(page).getByRole('link', { name: 'BIG-1', exact: true }).count(), 0)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a restaurant that never sent a Z has none missing: nothing is amber, neither its days nor the overview', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const sold = [3, 1].map((ago) => {
      const at = `${dayOf(ago)}T12:00:00.000Z`
      const made = orderOf(location, ago, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, reportId: null })
      return order(soundOrder({ ...made, items: [itemOf(1, { total: 60, discountsApplied: [] })], menus: [] }))
    })
    await site.push([{ type: 'location', data: locationOf(location, { name: 'Chez Sans-Z' }) }, ...sold], key)
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    for (const ago of [3, 1]) {
      await goTo(page, site, `/days?day=${dayOf(ago)}`)
      const day = main(page).locator('td[aria-current]')
      assert.match(flat(await day.innerText()), /no Z €60\.00$/)
      assert.equal(await main(page).getByText('waiting for').count(), 0)
    }
    for (const path of ['/today', '/sales?range=7d', `/month?month=${dayOf(1).slice(0, 7)}`]) {
      await goTo(page, site, path)
      assert.doesNotMatch(await main(page).innerText(), /incomplete|missing/, path)
    }
    assert.deepEqual(findings, [])
    await context.close()
    const operator = await visitAsOperator(browser, site)
    await goTo(operator.page, site, '/ops')
    const troubles = main(operator.page).getByRole('region', { name: 'Needs attention' }).locator('[data-row]')
    // The overview only reports that the restaurant has not sold for a while.
    const alerts = (await troubles.filter({ hasText: 'Chez Sans-Z' }).allInnerTexts()).filter((row) =>
      /Z |[Dd]ay/.test(row),
    )
    assert.deepEqual(alerts, [])
    await operator.context.close()
  })

  test('deductions are shown by operator, hour and reason with their value, and each leads to a ticket', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const at = `${dayOf(1)}T12:00:00.000Z`
    const item = (total: number, changes: object = {}) =>
      itemOf(1, {
        total,
        unitPrice: total,
        quantity: 1,
        isCanceled: false,
        isLoss: false,
        discountsApplied: [],
        ...changes,
      })
    const sold = (n: number, operatorName: string, items: object[], changes: object = {}) =>
      order({
        ...orderOf(location, n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, menus: [] }),
        orderNumber: `V${n}`,
        operatorName,
        operatorId: idOf('operator', operatorName === 'Ada' ? 1 : 2),
        items,
        ...changes,
      })
    await site.push(
      [
        sold(1, 'Ada', [item(30), item(12.5)], { isCanceled: true, total: 0, cancelReason: 'Erreur' }),
        sold(2, 'Bo', [item(10), item(8.4, { isCanceled: true, cancelReason: 'Client parti' })]),
        sold(3, 'Bo', [item(9, { isLoss: true, lossReason: 'Offert' }), item(1)]),
        report(
          zReportOf(location, 1, [], {
            deviceName: 'Caisse 1',
            createdAt: at,
            finalizedAt: at,
            reportEntries: ['no_sale', 'cash_in', 'no_sale', 'opening_float', 'no_sale'].map((entryType) => {
              return { entryName: entryType, entryAmount: 0, entryType }
            }),
          }),
        ),
      ],
      key,
    )
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    // Sales do not show 0.00 for cancellations, and link to the screen of deductions.
    await goTo(page, site, '/sales?range=7d')
    const apart = main(page).getByRole('table', { name: 'Excluded from sales' })
    assert.match(flat(await apart.innerText()), /Canceled orders 1 Training orders 0 · €0\.00 Losses 1 · €9\.00/)
    await apart.getByRole('link', { name: '1 · €9.00' }).click()
    await page.waitForURL((url) => url.searchParams.get('kind') === 'loss')
    await goTo(page, site, '/deductions?range=7d')
    const rowsOf = async (name: string) =>
      (await main(page).getByRole('table', { name, exact: true }).locator('[data-row]').allInnerTexts()).map(flat)
    // Bo sold two orders of 22.00 each, and gave discounts of 8.40 and 9.00: 17.40 of 44.00.
    assert.deepEqual(await rowsOf('By operator'), [
      'Ada – – – €42.50 (1) – – –',
      'Bo €44.00 39.55% 1 – €8.40 (1) €9.00 (1) –',
    ])
    assert.deepEqual(await rowsOf('By hour'), ['12 h €42.50 (1) €8.40 (1) €9.00 (1) –'])
    assert.deepEqual(await rowsOf('By reason'), [
      'Canceled orders Erreur 1 €42.50',
      'Losses Offert 1 €9.00',
      'Canceled items Client parti 1 €8.40',
    ])
    // For the month: 42.50 + 8.40 + 9.00 of deductions and 44.00 of sales; the two months before have neither.
    const months = await rowsOf('This month and the two before')
    const monthOf =
      new Date(`${dayOf(1)}T00:00:00Z`).getUTCMonth() === new Date(`${dayOf(0)}T00:00:00Z`).getUTCMonth() ? 0 : 1
    assert.match(months[monthOf] ?? '', / €44\.00 136\.14% €42\.50 €8\.40 €9\.00 €0\.00$/)
    assert.match(months[2] ?? '', / €0\.00 – €0\.00 €0\.00 €0\.00 €0\.00$/)
    // The drawer was opened three times without a sale in the Z of one till, among entries of other kinds.
    assert.deepEqual(await rowsOf('Drawer opened without a sale'), ['Caisse 1 1 3'])
    await main(page).getByRole('link', { name: 'Bo', exact: true }).click()
    await page.waitForURL((url) => url.searchParams.has('operator'))
    assert.deepEqual(
      (await rowsOf('Ticket by ticket')).map((row) => row.slice(0, 2)),
      ['V2', 'V3'],
    )
    await main(page).getByRole('link', { name: 'V2' }).click()
    await page.getByRole('heading', { name: 'Order V2' }).waitFor()
    // If the range has more days than can be listed, the screen links to the last ones, which are in the name of a file.
    await goTo(page, site, `/deductions?since=${dayOf(40)}&until=${dayOf(0)}`)
    await main(page).getByText('31 days at most').waitFor()
    await main(page).getByRole('button', { name: /^Show/ }).click()
    await page.waitForURL((url) => url.searchParams.get('since') === dayOf(30))
    const file = `By operator-${dayOf(30)}-${dayOf(0)}`
    await main(page)
      .getByRole('button', { name: `CSV for programs: ${file}`, exact: true })
      .waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the month of an accountant has base, tax and total by rate, payments with their tips, the days with their Zs, and e-reporting', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const at = `${dayOf(1)}T12:00:00.000Z`
    const item = (total: number, taxRate: number, taxAmount: number) =>
      itemOf(1, {
        total,
        unitPrice: total,
        quantity: 1,
        isCanceled: false,
        isLoss: false,
        discountsApplied: [],
        tax: { taxName: 'TVA', taxRate, taxAmount, taxCatalogId: idOf('tax', 1) },
      })
    const card = { paymentName: 'Card', paymentCatalogId: idOf('payment', 1) }
    const cash = { paymentName: 'Cash', paymentCatalogId: idOf('payment', 2) }
    const sold = (n: number, items: object[], payments: object[], tips: object[] | null) =>
      order({
        ...orderOf(location, n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, menus: [] }),
        items,
        payments,
        tips,
        total: n === 1 ? 71 : 12,
      } as never)
    await site.push(
      [
        // 11.00 and 60.00, including 1.00 and 10.00 of tax; 41.00 paid by card and 30.00 in cash, with a tip of 3.00 by
        // card.
        sold(
          1,
          [item(11, 0.1, 1), item(60, 0.2, 10)],
          [
            { ...card, paymentAmount: 41 },
            { ...cash, paymentAmount: 30 },
          ],
          [{ amount: 3, paymentCatalogId: card.paymentCatalogId }],
        ),
        // 12.00 including 2.00 of tax, in cash, with a tip that names no payment and so belongs to the only payment.
        sold(2, [item(12, 0.2, 2)], [{ ...cash, paymentAmount: 12 }], [{ amount: 0.5 }]),
      ],
      key,
    )
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    const rowsOf = async (name: string) =>
      (await main(page).getByRole('table', { name, exact: true }).locator('[data-row]').allInnerTexts()).map(flat)
    await goTo(page, site, '/sales?range=7d&by=tax')
    assert.deepEqual(await rowsOf('Tax rate'), ['20% 2 €60.00 €12.00 €72.00', '10% 1 €10.00 €1.00 €11.00'])
    await goTo(page, site, '/sales?range=7d&by=payment')
    const taken = main(page).getByRole('table', { name: 'Payment', exact: true })
    assert.deepEqual((await taken.getByRole('columnheader').allInnerTexts()).at(-1), 'Paid')
    await goTo(page, site, `/month?month=${dayOf(1).slice(0, 7)}`)
    assert.deepEqual(await rowsOf('VAT by rate'), ['10% €10.00 €1.00 €11.00', '20% €60.00 €12.00 €72.00'])
    const total = main(page).getByRole('table', { name: 'VAT by rate', exact: true }).locator('tfoot')
    assert.equal(flat(await total.innerText()), 'Total €70.00 €13.00 €83.00')
    assert.deepEqual(await rowsOf('Payment methods'), ['Card 1 €41.00 €3.00 €44.00', 'Cash 2 €42.00 €0.50 €42.50'])
    // The day has no Z, so the day itself is booked.
    const standing = await rowsOf('Z reports and days')
    assert.deepEqual([standing.length, standing[0]?.includes('€83.00')], [1, true])
    // Two orders, listed once, at the first of their rates.
    const lines = (await rowsOf('E-reporting')).map((row) => row.replace(/^.+ (?=TPS1)/, ''))
    assert.deepEqual(lines, ['TPS1 services 10% 2 €10.00 €1.00', 'TPS1 services 20% €60.00 €12.00'])
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('warnings to tills are shown in the month, in the language of the reader', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
    const { key } = await addKey(site.pool, location)
    const now = new Date().toISOString()
    const item = itemOf(1, {
      total: 12,
      unitPrice: 12,
      quantity: 1,
      isCanceled: false,
      isLoss: false,
      discountsApplied: [],
    })
    const times = { createdAt: now, openedAt: now, closedAt: now, updatedAt: now }
    // The order states 21.00, but its one item is 12.00.
    await site.push([order({ ...orderOf(location, 1, times), items: [item], menus: [], total: 21 })], key)
    const init = { headers: { 'x-api-key': key } }
    const codes = async () =>
      ((await (await fetch(`${site.url}/v1/ingest/warnings/`, init)).json()) as any).data.map(({ code }: any) => code)
    await eventually(async () => (await codes()).includes('total_mismatch'), 'the till was warned')
    for (const [locale, caption, words] of [
      ['en-GB', 'Warnings', 'the total is not the sum of its parts'],
      ['fr-FR', 'Avertissements', 'le total n’est pas la somme de ses parties'],
    ] as const) {
      const { context, page, findings } = await visitAs(browser, { ...site, key }, { locale })
      await goTo(page, site, `/month?month=${now.slice(0, 7)}`)
      const rows = main(page).getByRole('table', { name: caption }).locator('[data-row]')
      assert.ok((await rows.allInnerTexts()).some((row) => row.includes(words)))
      assert.ok(!(await rows.allInnerTexts()).some((row) => row.includes('total_mismatch')))
      assert.deepEqual(findings, [])
      await context.close()
    }
  })
})
