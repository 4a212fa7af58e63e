import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs, hourMs } from '../../src/core/domain/days/time-units.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { idOf, order, orderOf } from '../support/records.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

/** Returns a time zone in which it is between 18 and 19 o'clock now, so that hours ago are on the same business day. */
function eveningZone(): string {
  const east = ((18 - new Date().getUTCHours() + 36) % 24) - 12
  return `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`
}

/** Resolves to the rows of a table, cell by cell, with single spaces. */
async function cellsOf(page: Page, name: string): Promise<string[][]> {
  const rows = main(page).getByRole('table', { name, exact: true }).locator('[data-row]')
  return rows.evaluateAll((found) =>
    found.map((row: any) => [...row.cells].map((cell: any) => cell.innerText.replaceAll(/\s+/g, ' ').trim())),
  )
}

/** Resolves to the data of a chart, from its table view. */
const chartOf = (page: Page): Promise<string[][]> =>
  main(page)
    .locator('figure [data-row]')
    .evaluateAll((rows) => rows.map((row: any) => [...row.cells].map((cell: any) => cell.innerText.trim())))

/** Downloads a file, and resolves to its rows, for cells that contain no separator. */
async function fileOf(
  page: Page,
  button: string,
  separator: string,
): Promise<{ name: string; rows: string[][]; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main(page)
      .getByRole('button', { name: new RegExp(`^${button}`) })
      .last()
      .click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  const lines = text
    .replace(/^\ufeff/, '')
    .trim()
    .split('\r\n')
  return { name: download.suggestedFilename(), text, rows: lines.map((line) => line.split(separator)) }
}

describe('compared figures in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Creates a restaurant with sales of these amounts, this many milliseconds ago. */
  async function soldAt(sales: readonly (readonly [agoMs: number, total: number, changes?: object])[], now: number) {
    const location = await addLocation(site.pool, undefined, { timeZone: eveningZone() })
    const { key } = await addKey(site.pool, location)
    const records = sales.map(([agoMs, total, changes], n) => {
      const at = new Date(now - agoMs).toISOString()
      const made = orderOf(location, n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, total })
      const item = {
        ...made.items[0],
        total,
        itemCatalogId: idOf('product', 1),
        discountsApplied: [],
        isCanceled: false,
        isLoss: false,
      }
      const payments = [{ paymentAmount: total, paymentName: 'Card', paymentCatalogId: idOf('payment', 1) }]
      return order({ ...made, items: [item], menus: [], payments, tips: null, totalDiscount: 0, ...changes } as never)
    })
    await site.push(records, key)
    return { ...site, key }
  }

  test('an hour is compared with the same hour of the week before up to the same minute, whichever hours have no sales', async () => {
    const now = Date.now()
    const hour = (h: number) => (((new Date(now).getTime() / hourMs) % 1) + 18 - h) * hourMs
    const weekAgo = 7 * dayMs
    const at = await soldAt(
      [
        [hour(12.5), 30],
        [hour(15.5), 8],
        // A week earlier there was nothing at 12, but orders at 11 and 13, and one an hour later than now, which is not
        // compared.
        [weekAgo + hour(11.5), 5],
        [weekAgo + hour(13.5), 70],
        [weekAgo + hour(15.5), 10],
        [weekAgo - hourMs, 999],
      ],
      now,
    )
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/sales?range=today&by=hour&compare=weekday')
    const rows = await cellsOf(page, 'Hour')
    assert.deepEqual(
      rows.map((cells) => [cells[0], ...cells.slice(-3)]),
      [
        ['11 h', '–', '€5.00', '-€5.00 (-100%)'],
        ['12 h', '€30.00', '€0.00', '+€30.00'],
        ['13 h', '–', '€70.00', '-€70.00 (-100%)'],
        ['14 h', '–', '€0.00', '–'],
        ['15 h', '€8.00', '€10.00', '-€2.00 (-20%)'],
      ],
    )
    // The data of the chart.
    await main(page).locator('figure').getByRole('button', { name: 'As a table' }).click()
    assert.deepEqual(await chartOf(page), [
      ['11 h', '–', '€5.00'],
      ['12 h', '€30.00', '€0.00'],
      ['13 h', '–', '€70.00'],
      ['14 h', '–', '€0.00'],
      ['15 h', '€8.00', '€10.00'],
    ])
    await main(page).locator('figure').getByRole('button', { name: 'As a chart' }).click()
    // The whole days: 38.00 compared with 85.00.
    const sheet = await main(page).getByRole('table', { name: 'Sales', exact: true }).getByRole('row').allInnerTexts()
    assert.match(
      sheet.find((row) => row.startsWith('Sales incl. tax'))?.replaceAll(/\s+/g, ' ') ?? '',
      /€38\.00 €85\.00 -55%$/,
    )
    await main(page)
      .getByText(/^The last day of the comparison counts up to 18:\d\d/)
      .waitFor()
    await goTo(page, at, '/sales?range=today&by=hour&compare=yearWeekday')
    assert.deepEqual(
      (await cellsOf(page, 'Hour')).map((cells) => cells.slice(-2)),
      Array.from({ length: 4 }, () => ['–', '–']),
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the hours of a day are in the order of the business day, including those without sales, each with a bar from a common start', async () => {
    const now = Date.now()
    const yesterday = (hour: number) => (((now / hourMs) % 1) + 18 - hour) * hourMs + dayMs
    // Half past midnight belongs to the previous day, which ends at five.
    const at = await soldAt(
      [
        [yesterday(22.25), 40],
        [yesterday(24.5), 10],
        [yesterday(21), 20],
      ],
      now,
    )
    const day = new Date(now - yesterday(21)).toLocaleDateString('en-CA', { timeZone: eveningZone() })
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, `/sales?since=${day}&until=${day}&by=hour`)
    const rows = await cellsOf(page, 'Hour')
    assert.deepEqual(
      rows.map((cells) => [cells[0], cells.at(-1)]),
      [
        ['21 h', '€20.00'],
        ['22 h', '€40.00'],
        ['23 h', '–'],
        ['00 h', '€10.00'],
      ],
    )
    await main(page).locator('figure').getByRole('button', { name: 'As a table' }).click()
    assert.deepEqual(
      (await chartOf(page)).map(([hour]) => hour),
      ['21 h', '22 h', '23 h', '00 h'],
    )
    await main(page).locator('figure').getByRole('button', { name: 'As a chart' }).click()
    const bars = await main(page)
      .getByRole('table', { name: 'Hour', exact: true })
      .locator('td')
      .filter({ has: page.locator('[style*="inline-size"]') })
      .evaluateAll((cells) =>
        cells.map((cell: any) => {
          const { left, right, width } = cell.querySelector('[style*="inline-size"]').getBoundingClientRect()
          return { left, right, width, text: cell.querySelector('[class*="barText"]').getBoundingClientRect().left }
        }),
      )
    const [first] = bars
    assert.equal(bars.length, 3)
    for (const [n, share] of [1 / 2, 1, 1 / 4].entries()) {
      const { left, right, width, text } = bars[n] as (typeof bars)[number]
      assert.ok(Math.abs(left - (first?.left ?? 0)) < 1, `bar ${n} starts at ${left}, the first at ${first?.left}`)
      assert.ok(right <= text, `bar ${n} ends at ${right}, and its amount begins at ${text}`)
      assert.ok(Math.abs(width - share * (bars[1]?.width ?? 0)) < 1, `bar ${n} is ${width} wide`)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('today so far is compared with the same weekday of a week and of 52 weeks before, up to the same minute', async () => {
    const now = Date.now()
    const hour = (h: number) => (((new Date(now).getTime() / hourMs) % 1) + 18 - h) * hourMs
    const [week, year] = [7 * dayMs, 364 * dayMs]
    const at = await soldAt(
      [
        [hour(12), 30.5],
        [hour(15.5), 8.2],
        [week + hour(11), 20],
        [week + hour(15), 10],
        // On a compared day, an order after the current time of day is not included in any figure.
        [week - hourMs, 999],
        [year + hour(12), 40],
        [year + hour(13), 10],
        [year + hour(14), 5],
        [year - hourMs, 777],
      ],
      now,
    )
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/today')
    // 38.70 from 2 orders, compared with 30.00 from 2 and 55.00 from 3; 19.35 each, 15.00 and 18.33.
    const rows = await cellsOf(page, 'The same weekday a week and a year before')
    const rowOf = (name: string) => rows.filter(([first]) => first === name)
    assert.deepEqual(rowOf('Sales incl. tax'), [
      ['Sales incl. tax', '€38.70', '€30.00 +€8.70 (+29%)', '€55.00 -€16.30 (-30%)'],
    ])
    assert.deepEqual(rowOf('Orders'), [['Orders', '2', '2 0 (0%)', '3 -1 (-33%)']])
    assert.deepEqual(rowOf('Average per order'), [
      ['Average per order', '€19.35', '€15.00 +€4.35 (+29%)', '€18.33 +€1.02 (+6%)'],
    ])
    const heads = await main(page)
      .getByRole('columnheader', { name: /^Last (week|year)/ })
      .allInnerTexts()
    const dateOf = (ago: number) =>
      new Date(now - ago).toLocaleDateString('en-GB', {
        timeZone: eveningZone(),
        day: 'numeric',
        month: 'short',
        year: 'numeric',
      })
    assert.deepEqual(heads, [`Last week · ${dateOf(week)}`, `Last year · ${dateOf(year)}`])
    await main(page)
      .getByText(/^The earlier days count up to 18:\d\d, as today does\./)
      .waitFor()
    assert.deepEqual(findings, [])
    await context.close()
    // A restaurant that opened this week has no sales of a year ago, and sold nothing a week ago.
    const young = await soldAt(
      [
        [hour(12), 30],
        [6 * dayMs, 5],
      ],
      now,
    )
    const owner = await visitAs(browser, young)
    await goTo(owner.page, young, '/today')
    const [sales] = await cellsOf(owner.page, 'The same weekday a week and a year before')
    assert.deepEqual(sales, ['Sales incl. tax', '€30.00', '–', '–'])
    await owner.context.close()
  })

  test('a day is compared with the same position in the range before, days without sales are shown, and files have equal sums', async () => {
    const now = Date.now()
    const noon = (daysAgo: number) => daysAgo * dayMs + 3 * hourMs
    const at = await soldAt(
      [
        [noon(1), 1234.5],
        [noon(2), 20.25],
        // Nothing was sold three days ago, nor six days ago, which is the third day of the range before.
        [noon(4), 40],
        [noon(5), 50],
        [noon(7), 70],
        [noon(8), 80],
      ],
      now,
    )
    const day = (daysAgo: number) =>
      new Date(now - noon(daysAgo)).toLocaleDateString('en-CA', { timeZone: eveningZone() })
    const range = `since=${day(4)}&until=${day(1)}`
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, `/sales?${range}&by=day&compare=previous`)
    const rows = await cellsOf(page, 'Day')
    assert.deepEqual(
      rows.map((cells) => cells.slice(-3, -1)),
      [
        ['€40.00', '€80.00'],
        ['–', '€70.00'],
        ['€20.25', '€0.00'],
        ['€1,234.50', '€50.00'],
      ],
    )
    await main(page).locator('figure').getByRole('button', { name: 'As a table' }).click()
    assert.deepEqual(
      (await chartOf(page)).map((cells) => cells.slice(1)),
      [
        ['€40.00', '€80.00'],
        ['–', '€70.00'],
        ['€20.25', '€0.00'],
        ['€1,234.50', '€50.00'],
      ],
    )
    await main(page).locator('figure').getByRole('button', { name: 'As a chart' }).click()
    const program = await fileOf(page, 'CSV for programs', ',')
    assert.deepEqual(
      program.rows.slice(1).map((row) => row[0]),
      [day(4), day(3), day(2), day(1)],
    )
    const column = program.rows[0]?.indexOf('Sales incl. tax') ?? -1
    assert.deepEqual(
      program.rows.slice(1).map((row) => Number(row[column])),
      [40, 0, 20.25, 1234.5],
    )
    assert.ok(program.name.includes(day(4)) && program.name.includes(day(1)), program.name)
    assert.deepEqual(findings, [])
    await context.close()
    const french = await visitAs(browser, at, { locale: 'fr-FR' })
    await goTo(french.page, at, `/sales?${range}&by=day`)
    const sheet = await fileOf(french.page, 'CSV pour tableur', ';')
    const amounts = sheet.rows.slice(1).map((row) => row[sheet.rows[0]?.indexOf('CA TTC') ?? -1])
    assert.deepEqual(amounts, ['40', '', '20,25', '1234,5'])
    assert.ok(sheet.text.startsWith('\ufeff'))
    await french.context.close()
  })

  test('a file of orders contains all matches and not a page of them, with amounts that add up to the figure', async () => {
    const now = Date.now()
    const at = await soldAt(
      Array.from({ length: 130 }, (_, n) => [2 * dayMs + n * 60_000, 1.01 + n] as const),
      now,
    )
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/orders?range=7d')
    assert.equal(await main(page).locator('[data-row]').count(), 50)
    const { rows } = await fileOf(page, 'CSV for programs', ',')
    assert.equal(rows.length, 131)
    const total = rows[0]?.indexOf('Total') ?? -1
    const cents = rows.slice(1).reduce((sum, row) => sum + Math.round(Number(row[total]) * 100), 0)
    // Σ (1.01 + n) for n from 0 to 129.
    assert.equal(cents, 130 * 101 + (129 * 130 * 100) / 2)
    assert.match(rows[1]?.[1] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a table by discount shows discounts, also on a phone, and a table by product the quantity too', async () => {
    const now = Date.now()
    const discount = { discountName: 'Ami', discountValue: 3.5, discountCatalogId: idOf('discount', 1) }
    const item = {
      ...orderOf(site.location, 1).items[0],
      total: 10,
      quantity: 2,
      isCanceled: false,
      isLoss: false,
      discountsApplied: [discount],
    }
    const at = await soldAt([[hourMs, 10, { items: [item] }]], now)
    const { context, page, findings } = await visitAs(browser, at)
    await page.setViewportSize({ width: 390, height: 844 })
    await goTo(page, at, '/sales?range=today&by=discount')
    await settled(page)
    const shown = async (name: string) =>
      (await main(page).getByRole('table', { name, exact: true }).locator('[data-row]').first().innerText()).replaceAll(
        /\s+/g,
        ' ',
      )
    assert.match(await shown('Discount'), /^Ami 1 2 €3\.50$/)
    // The total below the sales deducts the discount, with its sign.
    const sheet = main(page).getByRole('table', { name: 'Sales', exact: true })
    assert.match(
      (await sheet.innerText()).replaceAll(/\s+/g, ' '),
      /Gross sales incl\. tax €13\.50 Discounts -€3\.50 Sales incl\. tax €10\.00/,
    )
    await goTo(page, at, '/sales?range=today&by=product')
    assert.match(await shown('Product'), / 1 2 €10\.00$/)
    assert.deepEqual(findings, [])
    await context.close()
    const full = await visitAs(browser, await soldAt([[hourMs, 10]], now))
    await goTo(full.page, at, '/sales?range=today&by=discount')
    await main(full.page).getByText('Nothing to list').waitFor()
    assert.equal(await main(full.page).getByText('No sales in this period').count(), 0)
    await full.context.close()
  })
})
