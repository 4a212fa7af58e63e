import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, visitAs } from '../support/console.ts'
import { itemOf, locationOf, order, orderOf } from '../support/records.ts'
import { soundOrder } from '../support/z-reports.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

/**
 * Finds amounts that are wider than their tile or smaller than those next to them, names of a comparison without enough
 * room, and a page that is wider than the window.
 */
const overflowing = `(() => {
  const wide = [...document.querySelectorAll('#main dl > div')].filter((tile) =>
    [...tile.querySelectorAll('dd > span')].some((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > tile.getBoundingClientRect().right + 1),
  )
  const uneven = [...document.querySelectorAll('#main dl')].filter((group) =>
    new Set([...group.querySelectorAll('[data-letters]')].map((one) => Math.round(parseFloat(getComputedStyle(one).fontSize)))).size > 1,
  )
  const narrow = [...document.querySelectorAll('#main th[role=rowheader]')].filter((one) => one.clientWidth < 90)
  const page = document.documentElement
  return [...wide, ...uneven, ...narrow].map((one) => one.innerText).concat(page.scrollWidth > page.clientWidth ? ['the page: ' + page.scrollWidth] : [])
})()`

describe('amounts of seven digits', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  for (const [currency, total] of [
    ['EUR', 1_234_567.89],
    ['KWD', 1_234_567.89],
    ['KRW', 1_234_567],
  ] as const) {
    test(`in ${currency} fit into their tiles, and the page into its window, at every width`, async () => {
      const settings = { timeZone: 'Etc/UTC', dayStartsAt: '00:00', currency }
      const location = await addLocation(site.pool, undefined, settings as never)
      const { key } = await addKey(site.pool, location)
      const at = new Date().toISOString()
      const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
      const item = itemOf(1, { total, unitPrice: total, quantity: 1, discountsApplied: [] })
      const sold = soundOrder({ ...orderOf(location, 1, times), items: [item], menus: [] })
      await site.push(
        [{ type: 'location', data: locationOf(location, { name: `Chez ${currency}` }) }, order(sold)],
        key,
      )
      for (const locale of ['en-GB', 'fr-FR']) {
        const { context, page, findings } = await visitAs(browser, { ...site, key }, { locale })
        for (const path of ['/today', `/month?month=${at.slice(0, 7)}`, '/sales?range=28d&compare=previous']) {
          await goTo(page, site, path)
          for (const width of [320, 390, 768, 1024, 1280, 1920]) {
            await page.setViewportSize({ width, height: 900 })
            assert.deepEqual(await page.evaluate(overflowing), [], `${path} at ${width} in ${locale}`)
          }
        }
        assert.deepEqual(findings, [])
        await context.close()
      }
    })
  }
})
