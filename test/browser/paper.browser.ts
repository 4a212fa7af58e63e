import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { hourMs } from '../../src/core/domain/days/time-units.ts'
import { addKey, addLocation } from '../support/app.ts'
import { atEnd } from '../support/database.ts'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { idOf, itemOf, locationOf, order, orderOf, report } from '../support/records.ts'
import { zReportOf } from '../support/z-reports.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** Why a test is skipped: other programs read drawings and text on paper. */
const noPoppler =
  spawnSync('pdftotext', ['-v']).error === undefined && spawnSync('pdftoppm', ['-v']).error === undefined
    ? undefined
    : 'needs pdftotext and pdftoppm: apt-get install poppler-utils'

/** Returns a time zone in which it is between 18 and 19 o'clock now, so that hours ago are on the same business day. */
function eveningZone(): string {
  const east = ((18 - new Date().getUTCHours() + 36) % 24) - 12
  return `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`
}

/** Counts bars of one color in a picture of a sheet (PPM): columns of that color, at least 50 pixels high. */
function barsIn(picture: Buffer, [red, green, blue]: readonly [number, number, number]): number {
  const [head = '', width = '', height = ''] = /^P6\s(\d+)\s(\d+)\s255\s/.exec(picture.toString('latin1', 0, 40)) ?? []
  const [across, down] = [Number(width), Number(height)]
  const isBar = (x: number) => {
    let run = 0
    for (let y = 0; y < down; y += 1) {
      const at = head.length + (y * across + x) * 3
      const near = (place: number, value: number) => Math.abs((picture[at + place] ?? 0) - value) < 16
      run = near(0, red) && near(1, green) && near(2, blue) ? run + 1 : 0
      if (run >= 50) return true
    }
    return false
  }
  const columns = Array.from({ length: across }, (_, x) => isBar(x))
  return columns.filter((bar, x) => bar && !columns[x - 1]).length
}

describe('the printed page', { skip: parts === undefined ? noChromium : noPoppler }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const folder = mkdtemp(join(tmpdir(), 'tillgate-paper-'))
  atEnd(async () => rm(await folder, { recursive: true, force: true }))

  /** Prints the page, and resolves to the text and the pictures of its sheets. */
  async function print(page: Page, name: string): Promise<{ sheets: string[]; pictures: Buffer[] }> {
    const place = join(await folder, name)
    await page.pdf({ preferCSSPageSize: true, path: `${place}.pdf` })
    const { stdout } = spawnSync('pdftotext', ['-layout', `${place}.pdf`, '-'], { encoding: 'utf8' })
    spawnSync('pdftoppm', ['-r', '96', `${place}.pdf`, place])
    const files = (await readdir(await folder)).filter((file) => file.startsWith(`${name}-`)).toSorted()
    const pictures = await Promise.all(files.map(async (file) => readFile(join(await folder, file))))
    return { sheets: stdout.split('\f').slice(0, pictures.length), pictures }
  }

  test('of Today has every hour of its chart, every table within its margins, and restaurant and time on each sheet', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: eveningZone() })
    const { key } = await addKey(site.pool, location)
    const now = Date.now()
    const ago = (hour: number) => (((now / hourMs) % 1) + 18 - hour) * hourMs
    const sold = (n: number, hour: number, total: number, changes: object = {}) => {
      const at = new Date(now - ago(hour) + n * 1000).toISOString()
      const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
      const long = { orderNumber: `261126-0${n}`, orderPlace: 'Terrasse 12' }
      const item = itemOf(n, { description: 'Filet de bœuf et pommes sautées', total, discountsApplied: [] })
      const payments = [{ paymentAmount: total, paymentName: 'Carte bancaire', paymentCatalogId: idOf('payment', 1) }]
      return order({ ...orderOf(location, n, times), ...long, items: [item], menus: [], total, payments, ...changes })
    }
    const places = { name: 'Auberge', city: 'Rennes' }
    // Three bars of equal height, with twelve hours from the first to the last.
    const hours = [6, 12, 17].map((hour, n) => sold(10 + n, hour, 1234.5))
    const others = [20, 21, 22, 23].map((n) => sold(n, 12, 112_345.67, { isCanceled: true }))
    await site.push([{ type: 'location', data: locationOf(location, places) }, ...hours, ...others], key)
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/today')
    await main(page).locator('canvas').first().waitFor()
    await main(page).getByText('€3,703.50').first().waitFor()
    const [red = 0, green = 0, blue = 0] = await page.evaluate<number[]>(`(() => {
      const probe = document.createElement('span')
      probe.style.color = 'var(--accent)'
      document.body.append(probe)
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color.match(/\\d+/g).map(Number)
    })()`)
    // The window is nearly twice as wide as a sheet.
    const { sheets, pictures } = await print(page, 'today')
    const bars = pictures.map((picture) => barsIn(picture, [red, green, blue]))
    assert.equal(
      bars.reduce((sum, count) => sum + count, 0),
      3,
      `bars on ${bars.length} sheets: ${bars.join()}`,
    )
    for (const [at, sheet] of sheets.entries()) {
      assert.match(flat(sheet), /Auberge, Rennes · printed \d/, `sheet ${at + 1}`)
      assert.match(sheet, new RegExp(`${at + 1} ?/ ?${sheets.length}`))
    }
    // A4 without its margins. Printing reports no new width to the page, so tables keep their layout.
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 688, height: 1016 })
    await settled(page)
    const outside = `[...document.querySelectorAll('[data-stacked]')].forEach((one) => one.removeAttribute('data-stacked')),
    [...document.querySelectorAll('#main section')].flatMap((box) => {
      const end = box.getBoundingClientRect().right + 1
      return [...box.querySelectorAll('th, td, canvas, a, p')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > end)
        .map((one) => box.querySelector('h2')?.innerText + ': ' + one.localName + ' ' + one.innerText)
    })`
    let overflowing: string[] = []
    await eventually(async () => {
      overflowing = await page.evaluate<string[]>(outside)
      return overflowing.length === 0
    }, 'all of it is within its frame').catch(() => assert.deepEqual(overflowing, []))
    const adjusted = `[...document.querySelectorAll('#main figure [data-tone]')].map((one) => getComputedStyle(one, '::before').printColorAdjust)`
    assert.deepEqual(await page.evaluate(adjusted), ['exact', 'exact'], 'the legend has its colours')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('of a Z has totals, tax, payments and the drawer on its first sheet, then each product with its sales and its quantity', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const at = '2026-03-14T12:00:00.000Z'
    const nameOf = (n: number) => `Produit ${String(n).padStart(2, '0')}`
    // 60 products: half cost 1.10 with 0.10 of tax, the others 1.20 with 0.20 of tax.
    const items = Array.from({ length: 60 }, (_, n) =>
      itemOf(n + 1, {
        description: nameOf(n + 1),
        unitPrice: n < 30 ? 1.1 : 1.2,
        total: n < 30 ? 1.1 : 1.2,
        discountsApplied: [],
        tax: {
          taxName: 'TVA',
          taxRate: n < 30 ? 0.1 : 0.2,
          taxAmount: n < 30 ? 0.1 : 0.2,
          taxCatalogId: idOf('tax', 1),
        },
      }),
    )
    const payments = [
      { paymentName: 'Carte bancaire', paymentAmount: 50, paymentCatalogId: idOf('payment', 1) },
      { paymentName: 'Espèces', paymentAmount: 19, paymentCatalogId: idOf('payment', 2) },
    ]
    const sums = { total: 69, totalTax: 9, totalDiscount: 0, tips: null, menus: [] }
    const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
    const sold = { ...orderOf(location, 1, { ...times, reportId: idOf('report', 9) }), ...sums, items, payments }
    const closed = { createdAt: at, updatedAt: at, startedAt: at, finalizedAt: at, finalCashBalance: 1900 }
    const made = zReportOf(location, 9, [sold], closed)
    const products = made.reportProducts.map((product, n) => ({ ...product, productName: nameOf(n + 1) }))
    await site.push([order(sold), report({ ...made, reportProducts: products })], key)
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    await goTo(page, site, `/z/${made.id}`)
    await main(page).getByText('This report is balanced').waitFor()
    const { sheets } = await print(page, 'z')
    const first = flat(sheets[0] ?? '')
    // 33.00 + 36.00, including 3.00 and 6.00 of tax, paid as 50.00 and 19.00: according to the Z, to its orders, no
    // difference.
    for (const row of [
      /Sales incl\. tax €69\.00 €69\.00 €0\.00/,
      /Taxable amount 10% €30\.00 €30\.00 €0\.00/,
      /Taxable amount 20% €30\.00 €30\.00 €0\.00/,
      /Tax 10% €3\.00 €3\.00 €0\.00/,
      /Tax 20% €6\.00 €6\.00 €0\.00/,
      /Payment · Carte bancaire €50\.00 €50\.00 €0\.00/,
      /Payment · Espèces €19\.00 €19\.00 €0\.00/,
      /Cash in the drawer €19\.00 €19\.00 €0\.00/,
    ])
      assert.match(first, row)
    const lines = sheets.join('\n').split('\n').map(flat)
    const printed = lines.flatMap(
      (line) => /^(Product (?:sales|quantity)) · (Produit \d\d) /.exec(line)?.slice(1, 3).join(' ') ?? [],
    )
    assert.deepEqual(
      printed,
      Array.from({ length: 60 }, (_, n) => [
        `Product sales ${nameOf(n + 1)}`,
        `Product quantity ${nameOf(n + 1)}`,
      ]).flat(),
    )
    const firstProduct = lines.findIndex((line) => line.startsWith('Product sales'))
    const lastOther = lines.findLastIndex((line) => /^(Tax|Taxable|Payment|Cash)\b.*€/.test(line))
    assert.ok(lastOther < firstProduct, `${lines[lastOther]} stands after ${lines[firstProduct]}`)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
