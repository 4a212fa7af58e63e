import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import { sessionTimes } from '../../src/modules/console/schemas/console.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAs } from '../support/console.ts'
import { locationOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 40, ordersPerDay: 60 })

const stepMs = 10_000

/** How much may be sent in an hour over a mobile connection. */
const bytesPerHour = 5_000_000

/** Counts the API requests of the page from now on, and the transferred bytes, including the event stream and files of the console. */
async function count(page: Page) {
  const open = new Set<string>()
  const answered = () => eventually(() => open.size === 0, 'all is answered')
  const counted = { requests: [] as string[], bytes: 0, answered }
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  line.on('Network.requestWillBeSent', ({ request, requestId }) => {
    if (request.url.includes('/console/api/')) counted.requests.push(request.url)
    open.add(requestId)
  })
  // A response during the count adds its transferred bytes with headers. The stream, which began before, adds frames.
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    counted.bytes += encodedDataLength
    open.delete(requestId)
  })
  line.on('Network.loadingFailed', ({ requestId }) => void open.delete(requestId))
  line.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (!open.has(requestId)) counted.bytes += dataLength
  })
  return counted
}

describe('the cost of live updates in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  for (const path of ['/today', '/days', '/sales?range=today', '/orders'] as const) {
    test(`${path} at six orders a minute: at most one request per event, and less than 5 MB an hour`, async () => {
      const { context, page, findings } = await visitAs(browser, site, { viewport: { width: 390, height: 844 } })
      await page.clock.install()
      await goTo(page, site, path)
      const mark = page.getByRole('button', { name: /^live/ })
      await mark.waitFor()
      await page.clock.pauseAt(new Date(Date.now() + 90_000))
      await settled(page)
      const { sequence: before } = await site.get('/v1/journal/head')
      const counted = await count(page)
      const shows = async (sequence: number) =>
        eventually(
          async () => Number(((await mark.textContent()) ?? '').replaceAll(/\D/g, '')) >= sequence,
          'the page is notified',
        )
      // An order every ten seconds: opened, extended by an item, and paid.
      const [template] = (await site.get('/v1/orders/?size=1&sort=-createdAt')).data
      for (let n = 0; n < 10; n += 1) {
        const at = new Date(Date.now() - 2_000)
        const id = crypto.randomUUID()
        const version = (k: number, changes: object) => {
          const time = new Date(at.getTime() + k).toISOString()
          const times = { createdAt: at.toISOString(), openedAt: at.toISOString(), updatedAt: time, closedAt: null }
          return order({
            ...template,
            id,
            externalOrderId: id,
            orderNumber: `COST-${n}`,
            reportId: null,
            ...times,
            ...changes,
          })
        }
        await site.push([version(0, { payments: [] })])
        await site.push([version(1, { payments: [], guests: 5 })])
        await site.push([version(2, { closedAt: new Date(at.getTime() + 2).toISOString() })])
        await shows((await site.get('/v1/journal/head')).sequence)
        await page.clock.runFor(stepMs)
        await counted.answered()
      }
      const events = (await site.get(`/v1/events/?limit=1000&after=${before}`)).data.length
      assert.ok(events >= 30, String(events))
      assert.ok(
        counted.requests.length <= events,
        `${counted.requests.length} requests for ${events} events:\n${counted.requests.join('\n')}`,
      )
      assert.ok(counted.bytes * 36 < bytesPerHour, `${counted.bytes} bytes in 100 s`)
      // The screen shows the new sales.
      if (path === '/today') {
        await page.clock.runFor(60_000)
        await page.locator('#main').getByText('COST-9').first().waitFor()
      }
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('sixty restaurants need one request a minute, whatever they sell', async () => {
    const ids: string[] = []
    for (let n = 0; n < 60; n += 1) {
      const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
      const { key } = await addKey(site.pool, location)
      const now = new Date().toISOString()
      const times = { createdAt: now, openedAt: now, closedAt: now, updatedAt: now }
      const sold = order(orderOf(location, 1, { ...times, total: 10 }))
      await site.push([{ type: 'location', data: locationOf(location, { name: `Table ${n}` }) }, sold], key)
      ids.push(location)
    }
    const grant = { kind: 'link', role: 'owner', name: 'Mme Soixante', scopes: ['read'], locationIds: ids } as const
    const none = { recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null } as const
    const made = await createConsoleLink(site.pool, { ...grant, ...none, ...sessionTimes.owner } as never, new Date())
    const { context, page, findings } = await visit(browser, site, { viewport: { width: 390, height: 844 } })
    await page.goto(`${site.url}/console/#code=${made.code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('#main h1').waitFor()
    await page.clock.install()
    await goTo(page, site, '/restaurants')
    await page.locator('#main').getByText('€600.00').first().waitFor()
    const counted = await count(page)
    const reads = () => counted.requests.filter((url) => url.includes('/v1/sales/locations')).length
    for (let minute = 1; minute <= 5; minute += 1) {
      await page.clock.runFor(60_000)
      await eventually(() => reads() === minute, 'it is requested')
      await counted.answered()
    }
    assert.equal(counted.requests.length, 5, counted.requests.join('\n'))
    assert.ok(counted.bytes * 12 < bytesPerHour, `${counted.bytes} bytes in five minutes`)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
