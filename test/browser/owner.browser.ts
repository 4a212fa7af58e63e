import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { sessionTimes } from '../../src/modules/console/schemas/console.ts'
import { appendAccess } from '../../src/core/store/accounts/access.ts'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAs } from '../support/console.ts'
import { violationsOf } from '../support/console-looks.ts'
import { locationOf, order, orderOf } from '../support/records.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe('an owner in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Creates a restaurant with a sale of `now` at present, and one of `weekAgo` a week ago, unless that is 0. */
  async function restaurant(city: string, now: number, weekAgo: number): Promise<string> {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
    const { key } = await addKey(site.pool, location)
    const sold = (n: number, total: number, agoMs: number) => {
      const at = new Date(Date.now() - agoMs).toISOString()
      return order(orderOf(location, n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, total, guests: 2 }))
    }
    // The sale is in a minute that has ended, on the same day.
    const agoMs = 7 * dayMs + Math.min(61_000, Date.now() % dayMs)
    const records = [sold(1, now, 0), ...(weekAgo > 0 ? [sold(2, weekAgo, agoMs)] : [])]
    await site.push([{ type: 'location', data: locationOf(location, { name: 'Auberge', city }) }, ...records], key)
    return location
  }

  test('of a restaurant without orders reads when sales appear, and sees no command; a key holder sees both', async () => {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const who = { kind: 'link', role: 'owner', name: 'M. Neuf', scopes: ['read'], locationIds: [location] } as const
    const grant = { ...who, recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null, ...sessionTimes.owner }
    const made = await createConsoleLink(site.pool, grant as never, new Date())
    const { context, page, findings } = await visit(browser, site)
    await page.goto(`${site.url}/console/today#code=${made.code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await main(page).getByText('Sales appear here as soon as a till').waitFor()
    assert.equal(await main(page).locator('pre').count(), 0)
    assert.equal(await main(page).getByText('curl').count(), 0)
    assert.deepEqual(findings, [])
    await context.close()
    const integrator = await visitAs(browser, { ...site, key })
    await goTo(integrator.page, site, '/today')
    assert.equal(await main(integrator.page).locator('pre').count(), 2)
    await integrator.context.close()
  })

  test('sees several restaurants by one link: their sum, the best seller, and each on its own screen', async () => {
    // The minute of the sale a week ago must have ended for both restaurants.
    const ids = [
      await restaurant('Brest', 100, 0),
      await restaurant('Nantes', 250.5, 0),
      await restaurant('Vannes', 30, 0),
    ]
    const grant = {
      kind: 'link',
      role: 'owner',
      name: 'Mme Petit',
      scopes: ['read'],
      locationIds: ids,
      recipientId: null,
      keyId: null,
      madeBy: 'cli',
      returnUrl: null,
    } as const
    const made = await createConsoleLink(site.pool, { ...grant, ...sessionTimes.owner } as never, new Date())
    const { context, page, findings } = await visit(browser, site)
    await page.goto(`${site.url}/console/#code=${made.code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'All restaurants' }).waitFor()
    await settled(page)
    const rows = main(page).getByRole('table', { name: 'By sales' }).locator('[data-row]')
    await main(page).getByText('€380.50').waitFor()
    assert.deepEqual((await rows.allInnerTexts()).map(flat), [
      'Auberge Nantes 1 €250.50 – 0',
      'Auberge Brest 1 €100.00 – 0',
      'Auberge Vannes 1 €30.00 – 0',
    ])
    assert.deepEqual(await violationsOf(page), [])
    await rows.first().getByRole('link').click()
    await page.waitForURL((url) => url.searchParams.get('location') === ids[1])
    await page.getByRole('banner').getByText('Nantes').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('of sixty restaurants sees sixty and their sum, without a comparison for one that opened yesterday', async () => {
    const ids: string[] = []
    for (let n = 0; n < 59; n++) ids.push(await restaurant(`Ville ${n}`, 10, 0))
    ids.push(await restaurant('Ville 59', 9, 10))
    const grant = { kind: 'link', role: 'owner', name: 'Mme Grand', scopes: ['read'], locationIds: ids } as const
    const by = { recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null, ...sessionTimes.owner }
    const made = await createConsoleLink(site.pool, { ...grant, ...by } as never, new Date())
    const { context, page, findings } = await visit(browser, site)
    await page.goto(`${site.url}/console/#code=${made.code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'All restaurants' }).waitFor()
    const paths: string[] = []
    page.on('request', (request) => paths.push(new URL(request.url()).pathname))
    await goTo(page, site, '/restaurants')
    await main(page).getByText('€599.00').waitFor()
    assert.equal(await main(page).getByRole('table', { name: 'By sales' }).locator('[data-row]').count(), 60)
    // Compared correctly: 9.00 with 10.00, and 590.00 with nothing.
    await main(page)
      .getByText('-10% vs. the same weekdays in the weeks before, for the 1 of 60 restaurants with data from then')
      .waitFor()
    assert.equal(paths.filter((path) => path.includes('/v1/sales/')).length, 1)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('sees no command that needs a key; a key holder does', async () => {
    const location = await restaurant('Quimper', 80, 0)
    const { key } = await addKey(site.pool, location)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ role: 'owner', scopes: ['read'], name: 'M. Sans-Clé' })
    const link = (await (await fetch(`${site.url}/v1/console/links`, { method: 'POST', headers, body })).json()) as any
    const owner = await visit(browser, site)
    await owner.page.goto(link.url)
    await owner.page.getByRole('button', { name: 'Sign in' }).click()
    await owner.page.getByRole('heading', { name: 'Today' }).waitFor()
    const withKey = await visitAs(browser, { ...site, key })
    for (const path of ['/today', '/sales?range=7d', '/orders?range=7d']) {
      const offered = []
      for (const { page } of [owner, withKey]) {
        await goTo(page, site, path)
        await main(page).getByText('€80.00').first().waitFor()
        offered.push(await page.getByRole('button', { name: 'Copy as curl' }).count())
      }
      assert.equal(offered[0], 0, path)
      assert.ok((offered[1] ?? 0) > 0, path)
    }
    for (const { context, findings } of [owner, withKey]) {
      assert.deepEqual(findings, [])
      await context.close()
    }
  })

  test('sees the command that creates another link, and not that for operators', async () => {
    const { context, page } = await visit(browser, site)
    await page.goto(`${site.url}/console/`)
    await page.getByText('No key and no link?').click()
    assert.match(await page.locator('pre').innerText(), /^tillgate console link --role owner --location/)
    await context.close()
  })

  test('sees all reads, the newest first, back to the first, and can export them', async () => {
    const location = await restaurant('Dinan', 10, 0)
    const { key, id: keyId } = await addKey(site.pool, location)
    const counts = { refused: 0, rateLimited: 0, failed: 0, from: null, to: null }
    const minute = (n: number) => new Date(Date.UTC(2026, 2, 1, 12, n)).toISOString()
    // 120 minutes, each with one more returned document than the one before.
    const reads = Array.from({ length: 120 }, (_, n) => ({
      kind: 'reads' as const,
      keyId,
      operation: 'GET /v1/orders/',
      minute: minute(n),
      requests: 1,
      documents: n + 1,
      ...counts,
    }))
    await appendAccess(site.pool, location, reads, { now: new Date() })
    const { context, page, findings } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/log')
    const rows = main(page).getByRole('table', { name: 'Who read what' }).locator('[data-row]')
    // Requests of this page are logged about once a minute, before the others.
    const handedOut = async () =>
      (await rows.filter({ hasText: 'GET /v1/orders/' }).allInnerTexts()).map((row) => Number(row.split('\t').at(-1)))
    const seen = await handedOut()
    assert.match(await rows.filter({ hasText: 'GET /v1/orders/' }).first().innerText(), /\ttest\t/)
    assert.ok(seen.length > 40)
    assert.equal(seen[0], 120)
    while ((await main(page).getByRole('button', { name: 'Older' }).count()) > 0) {
      const before = page.url()
      await main(page).getByRole('button', { name: 'Older' }).click()
      await page.waitForURL((url) => url.href !== before)
      await settled(page)
      seen.push(...(await handedOut()))
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 120 }, (_, n) => 120 - n),
    )
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      main(page)
        .getByRole('button', { name: /^CSV for programs/ })
        .click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.filter((line) => line.includes('2026-03-01T')).length, 120)
    assert.deepEqual(await violationsOf(page), [])
    assert.deepEqual(findings, [])
    await context.close()
  })
})
