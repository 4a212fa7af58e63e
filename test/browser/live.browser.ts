import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { order, orderOf, smallOrderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')

/** Returns an order that was just paid, so that webhooks receive it. */
const paidNow = (location: string, n: number, number: string) => {
  const now = new Date().toISOString()
  return order(
    orderOf(location, n, { orderNumber: number, createdAt: now, openedAt: now, closedAt: now, updatedAt: now }),
  )
}

/** Shows all rows of a long table, which at first shows only some. */
async function showAll(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Show all / })
  if ((await button.count()) > 0) await button.click()
}

describe('the console follows the journal', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts

  test('the live list shows new events, pauses without loss, filters by address and opens a body', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/events?types=order.paid')
    await page.getByText(/^live ·/).waitFor()
    const rows = page.locator('#main [data-row]')
    await site.push([paidNow(site.location, 521, 'TAIL-1')])
    await rows.filter({ hasText: 'TAIL-1' }).waitFor()
    await page.locator('#main').getByRole('button', { name: 'Pause' }).click()
    await page
      .getByText(/^paused/)
      .first()
      .waitFor()
    await site.push([paidNow(site.location, 522, 'TAIL-2')])
    await page.locator('#main').getByRole('button', { name: 'Resume' }).click()
    await rows.filter({ hasText: 'TAIL-2' }).waitFor()
    assert.equal(await rows.filter({ hasText: 'TAIL-1' }).count(), 1, 'each stands there once')
    const types = await rows.locator('td:nth-child(2)').allInnerTexts()
    assert.deepEqual([...new Set(types)], ['order.paid'])
    await rows.filter({ hasText: 'TAIL-2' }).getByRole('link').click()
    await page.getByRole('dialog', { name: 'Journal entry' }).getByText('"TAIL-2"').first().waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await settled(page)
    assert.match(page.url(), /types=order\.paid/)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the live list keeps the newest thousand events, and states this', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/events')
    await page.getByText(/^live ·/).waitFor()
    const rows = page.locator('#main [data-row]')
    const note = page.getByText('Only the newest 1,000 events are kept on this screen')
    assert.equal(await note.count(), 0, 'no note while there is room')
    await page.evaluate(`
      globalThis.most = 0
      new MutationObserver(() => {
        most = Math.max(most, document.querySelectorAll('#main [data-row]').length)
      }).observe(document.querySelector('#main'), { childList: true, subtree: true })`)
    const numbers = async () =>
      (await rows.locator('td:first-child').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')))
    /** Resolves to the sequences of the newest thousand events in the feed, the newest first. */
    const newest = async () => {
      const { sequence } = await site.get('/v1/journal/head')
      const { data } = await site.get(`/v1/events/?limit=1000&after=${sequence - 1000}`)
      return data
        .map((event: { sequence: number }) => event.sequence)
        .slice(-1000)
        .toReversed()
    }
    const showsNewest = async () => {
      const wanted = await newest()
      assert.equal(wanted.length, 1000)
      await eventually(async () => (await numbers())[0] === wanted[0], 'the newest event is shown')
      await settled(page)
      await showAll(page)
      assert.deepEqual(await numbers(), wanted)
      await note.waitFor()
      assert.equal(await page.evaluate('most'), 1000)
    }
    const small = (n: number) => order(smallOrderOf(site.location, n))
    await site.push(Array.from({ length: 1_100 }, (_, n) => small(10_000 + n)))
    await showsNewest()
    await site.push([small(20_000)])
    await showsNewest()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('events between a sequence in the address and the newest are one link away, and none is skipped', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    const { data } = await site.get('/v1/events/?limit=1000&after=0')
    const wanted = data.slice(0, 400).map((event: { sequence: number }) => event.sequence)
    const seen: number[] = []
    const goOn = page.getByRole('link', { name: /^Continue after/ })
    for (let after = 0; seen.length < 400; after = seen.at(-1) as number) {
      if (after === 0) await goTo(page, site, '/events?after=0')
      else await goOn.click()
      await page.waitForURL(`**/events?after=${after}`)
      await settled(page)
      await goOn.waitFor()
      await showAll(page)
      const shown = await page.locator('#main [data-row] td:first-child').allInnerTexts()
      seen.push(...shown.map((text) => Number(text.replaceAll(',', ''))).toReversed())
    }
    assert.deepEqual(seen.slice(0, 400), wanted)
    const { sequence } = await site.get('/v1/journal/head')
    await goTo(page, site, `/events?after=${sequence - 10}`)
    await page.locator('#main [data-row]').first().waitFor()
    assert.equal(await goOn.count(), 0, 'nothing is left out here')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('any number of tabs share one stream, and all show a new order without a reload', async () => {
    const { context, page } = await visitAs(browser, site)
    let streams = 0
    context.on('request', (request) => {
      if (request.headers()['accept'] === 'text/event-stream') streams += 1
    })
    await goTo(page, site, '/today')
    await page.getByText(/^live/).waitFor()
    const others = [await context.newPage(), await context.newPage()]
    for (const other of others) {
      await goTo(other, site, '/events')
      await other.getByText(/^live ·/).waitFor()
    }
    await site.push([paidNow(site.location, 531, 'LIVE-1')])
    for (const one of [page, ...others]) await one.locator('#main').getByText('LIVE-1').first().waitFor()
    assert.equal(streams, 1)
    // The tab that read the stream is closed, so another tab continues.
    await page.close()
    await site.push([paidNow(site.location, 532, 'LIVE-2')])
    for (const one of others) await one.locator('#main').getByText('LIVE-2').first().waitFor()
    assert.equal(streams, 2)
    await context.close()
  })

  test('while updates are paused the page requests nothing by itself, not even when it regains focus', async () => {
    const { id } = await site.post('/v1/webhooks/', {
      endpointUrl: receiver.url('/ok'),
      events: ['order.paid'],
      locationId: site.location,
      recipientId: crypto.randomUUID(),
    })
    const { context, page, findings } = await visitAs(browser, site)
    await page.clock.install()
    await goTo(page, site, `/webhooks/${id}`)
    await page.getByText(/^live/).waitFor()
    let requests = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/status')) requests += 1
    })
    // A time after the screen's own refresh, long enough that returning to the page also refreshes the screen.
    const later = async () => {
      await page.clock.fastForward(60_000)
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
      // The pending request is sent now.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => done()))')
    }
    await later()
    await eventually(() => requests > 0, 'it is requested again')
    await page.getByRole('button', { name: /^live/ }).click()
    await page.getByRole('button', { name: /^paused/ }).waitFor()
    await settled(page)
    requests = 0
    await later()
    await later()
    assert.equal(requests, 0)
    await page.getByRole('button', { name: /^paused/ }).click()
    await eventually(() => requests > 0, 'it goes on')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('changing figures are announced to screen readers, at most every five seconds', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    await page.clock.install()
    await goTo(page, site, '/today')
    await page.getByText(/^live/).waitFor()
    // From now on the clock only advances when the test advances it.
    await page.clock.pauseAt(new Date(Date.now() + 60_000))
    await settled(page)
    const status = page.locator('#root > .hidden[role=status]')
    const mark = page.getByRole('button', { name: /^live/ })
    const figures = () => main(page).locator('dl').first().locator('dd').first().innerText()
    const isAnnounced = async () => (await status.innerText()).includes((await figures()).split('\n')[0] as string)
    /** Pushes a sale, and returns to the page, which then sends pending requests. */
    const sells = async (n: number) => {
      const [before, number] = [await figures(), await mark.innerText()]
      await site.push([paidNow(site.location, n, `SAID-${n}`)])
      await eventually(async () => (await mark.innerText()) !== number, 'the page is notified')
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
      await eventually(async () => {
        await page.clock.runFor(1)
        return (await figures()) !== before
      }, 'the figures move')
    }
    assert.equal(await status.innerText(), '', 'the first ones are not announced')
    await sells(541)
    await page.clock.runFor(100)
    assert.ok(await isAnnounced())
    await sells(542)
    assert.ok(!(await isAnnounced()), 'not so soon again')
    await page.clock.runFor(5_000)
    assert.ok(await isAnnounced())
    assert.deepEqual(findings, [])
    await context.close()
  })
})
