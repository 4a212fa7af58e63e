import assert from 'node:assert/strict'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readConfig } from '../../src/core/config.ts'
import { createLog } from '../../src/core/server/log.ts'
import { serverSettings, startServer } from '../../src/core/server/start.ts'
import { openPool } from '../../src/core/store/db/database.ts'
import { addKey, addLocation, openServer, unlimited } from '../support/app.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAs } from '../support/console.ts'
import { linesOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')

describe('a console with a faulty server', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Starts another server on the same database, for what only some settings enable. */
  const serve = async (own: Record<string, string>, pool = site.pool) => {
    const settings = { role: 'api', port: '0', ...unlimited, ...own }
    const server = await startServer(pool, readConfig(serverSettings(), settings, {}), createLog('silent'))
    return { url: server.url as string, key: site.key, close: () => server.close() }
  }

  test('reports a deactivated location, and a revoked key, in use', async () => {
    const location = await addLocation(site.pool)
    const { id, key } = await addKey(site.pool, location)
    const { context, page } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/orders')
    await site.pool`update locations set deactivated_at = now() where id = ${location}`
    const alert = main(page).getByRole('alert').filter({ hasText: 'location_inactive' }).first()
    await eventually(async () => {
      await goTo(page, site, '/orders')
      return alert.isVisible()
    }, 'the screen says that the location is not active')
    await alert.getByText('The location is not active').waitFor()
    await site.pool`update locations set deactivated_at = null where id = ${location}`
    await site.pool`update api_keys set revoked_at = now() where id = ${id}`
    await eventually(async () => {
      await page.goto(`${site.url}/console/orders?range=7d`)
      await page.locator('h1').first().waitFor()
      return page.getByLabel('API key').isVisible()
    }, 'the sign-in is shown')
    assert.match(page.url(), /orders\?range=7d$/)
    await context.close()
  })

  test('reports a damaged database, and an unavailable one, and shows the data when it is back', async () => {
    // A separate database is used, because a table can only be renamed while it is not in use.
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
    await alertOf('internal_error').getByText('give the operator the request number').waitFor()
    await own.pool`alter table orders_elsewhere rename to orders`
    const row = main(page).locator('[data-row]').first()
    // The screen also retries by itself, and may do so first on a busy machine.
    await Promise.race([alertOf('internal_error').getByRole('button', { name: 'Try again' }).click(), row.waitFor()])
    await row.waitFor()
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

  test('asks to sign in after the session has ended, and returns to the same screen', async () => {
    const { context, page } = await visitAs(browser, site)
    await goTo(page, site, '/orders?range=28d')
    const headers = { 'sec-fetch-site': 'same-origin' }
    // The session ends during the user's next request, so the page cannot have learned of the end before.
    const next = (url: URL) => url.pathname.endsWith('/v1/orders/') && url.searchParams.get('state') === 'closed'
    await page.route(next, async (route) => {
      await context.request.delete(`${site.url}/console/api/session`, { headers })
      await route.continue()
    })
    await main(page).getByLabel('State').selectOption('closed')
    await page.getByLabel('API key').waitFor()
    await page.getByText('Your session has ended.').waitFor()
    await page.unroute(next)
    await page.getByLabel('API key').fill(site.key)
    await page.keyboard.press('Enter')
    await settled(page)
    assert.match(page.url(), /\/orders\?range=28d&state=closed$/)
    await context.close()
  })

  test('states how long to wait after too many sign-in attempts, in both languages', async () => {
    const strict = await serve({ signIns: '2' })
    for (const [locale, button, title, waiting] of [
      ['en-GB', 'Sign in', 'Too many requests', /^Wait \d+ s$/],
      ['fr-FR', 'Se connecter', 'Trop de requêtes', /^Attendre \d+\ss$/],
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

  test('shows the seconds to wait after too many requests, and continues by itself', async () => {
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

  test('states the limit of a key in words, in both languages', async () => {
    const limited = await serve({ rateLimit: '50', rateBurst: '100' })
    const answer = await fetch(`${limited.url}/v1/keys/own`, { headers: { 'x-api-key': site.key } })
    // A hundred immediately, and a hundred more in two seconds: fifty per second.
    assert.equal(((await answer.json()) as { rateLimit: string }).rateLimit, '"default";q=100;w=2')
    for (const [locale, words] of [
      ['en-GB', 'Limit 50 requests per second, 100 at once'],
      ['fr-FR', 'Limite 50 requêtes par seconde, 100 à la fois'],
    ] as const) {
      const { context, page, findings } = await visitAs(browser, limited, { locale })
      await goTo(page, limited, '/key')
      const fact = main(page)
        .locator('dl > div')
        .filter({ hasText: words.split(' ', 1)[0] as string })
      assert.equal((await fact.innerText()).replaceAll(/\s+/g, ' ').trim(), words)
      assert.deepEqual(findings, [])
      await context.close()
    }
    await limited.close()
  })

  test('shows more than a white page while its scripts are loading', async () => {
    const { context, page, findings } = await visit(browser, site)
    const { promise: slow, resolve: arrive } = Promise.withResolvers<void>()
    await context.route(/\/assets\/.+\.js$/, async (route) => {
      await slow
      await route.continue()
    })
    await page.goto(`${site.url}/console/`, { waitUntil: 'commit' })
    await page.getByText('Tillgate …').waitFor()
    arrive()
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.getByText('Tillgate …').count(), 0)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('reports that the server is unreachable, and continues by itself when it is back', async () => {
    const first = await serve({})
    const { port } = new URL(first.url)
    const { context, page } = await visitAs(browser, first)
    await goTo(page, first, '/sales')
    await first.close()
    await main(page).getByLabel('By', { exact: true }).selectOption('hour')
    await main(page).getByText('The server is not answering').first().waitFor()
    assert.equal(await main(page).getByText('The server is not answering').count(), 1, 'once for all boxes')
    const again = await serve({ port })
    await main(page).getByText('The server is not answering').first().waitFor({ state: 'detached' })
    await settled(page)
    assert.match(page.url(), /by=hour/)
    assert.ok((await main(page).locator('[data-row]').count()) > 0)
    await context.close()
    await again.close()
  })

  test('reports its build while it runs, and then reloads itself with the code of its link', async () => {
    const made = await mkdtemp(join(tmpdir(), 'tillgate-console-'))
    atEnd(() => rm(made, { recursive: true, force: true }))
    const folder = join(made, 'console')
    const server = await openServer(site.pool, { console: { isOn: true, isInsecureAllowed: false, folder } })
    atEnd(() => server.close())
    const url = `http://127.0.0.1:${server.port}`
    const { context, page, findings } = await visit(browser, { url })
    await page.goto(`${url}/console/#code=kept`)
    await page.getByRole('heading', { name: 'The console is not built' }).waitFor()
    // As after a build, everything appears at once.
    await cp(join(import.meta.dirname, '../../dist/console'), join(made, 'new'), { recursive: true })
    await rename(join(made, 'new'), folder)
    await page.getByText('The link you opened signs you in once.').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })
})
