import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import { roleScopes, sessionTimes, type Role } from '../../src/modules/console/schemas/console.ts'
import { addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAs, visitAsOperator } from '../support/console.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 6 })

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Navigation' })

const placesOf = async (page: Page) =>
  (await navigation(page).getByRole('link').allInnerTexts()).filter((name) => !name.startsWith('API reference'))

describe('the places of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Opens a link made for a role and some locations. Resolves to the first page shown. */
  async function enterAs(role: Role, locationIds: string[]) {
    const none = { recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null } as const
    const grant = { kind: 'link', role, name: role, scopes: roleScopes[role], locationIds, ...none } as const
    const { code } = await createConsoleLink(site.pool, { ...grant, ...sessionTimes.owner } as never, new Date())
    const visitor = await visit(browser, site)
    await visitor.page.goto(`${site.url}/console/#code=${code}`)
    await visitor.page.getByRole('button', { name: 'Sign in' }).click()
    await settled(visitor.page)
    return visitor
  }

  const pathOf = (page: Page) => new URL(page.url()).pathname.replace('/console', '')

  for (const [role, several, path, places] of [
    ['owner', false, '/today', ['Home', 'Sales', 'Orders', 'Days', 'Month', 'Settings']],
    ['owner', true, '/restaurants', ['Home', 'Sales', 'Orders', 'Days', 'Month', 'Settings']],
    ['accountant', true, '/month', ['Month', 'Days', 'Orders', 'Sales', 'Settings']],
    ['integrator', false, '/webhooks', ['Home', 'Sales', 'Orders', 'Days', 'Month', 'Settings', 'Webhooks', 'API']],
  ] as const) {
    test(`${several ? 'several' : 'one'}: ${role} starts at ${path} and has ${places.length} places`, async () => {
      const other = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
      const { context, page, findings } = await enterAs(role, several ? [site.location, other] : [site.location])
      assert.equal(pathOf(page), path)
      assert.deepEqual(await placesOf(page), places)
      // The reference is for those who have a key.
      const references = await navigation(page).getByRole('link', { name: 'API reference' }).count()
      assert.equal(references, role === 'integrator' ? 1 : 0)
      // The current area is marked on each of its screens.
      assert.equal(await navigation(page).locator('[data-here=true]').count(), 1)
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('an operator starts at the fleet and has twelve places; the screens of a place are one tap apart', async () => {
    const { context, page, findings } = await visitAsOperator(browser, site)
    await goTo(page, site, '/')
    assert.equal(pathOf(page), '/ops')
    assert.deepEqual(await placesOf(page), [
      'Home', 'Sales', 'Orders', 'Days', 'Month', 'Settings', 'Webhooks', 'API', 'Fleet', 'Rejected', 'Access', 'System',
    ]) // prettier-ignore
    await navigation(page).getByRole('link', { name: 'Days' }).click()
    await settled(page)
    await page.getByRole('navigation', { name: 'Days' }).getByRole('link', { name: 'Z reports' }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/z'))
    await settled(page)
    assert.equal(await navigation(page).locator('[data-here=true]').innerText(), 'Days')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('old addresses lead to the current screens, with their parameters', async () => {
    const { context, page, findings } = await visitAsOperator(browser, site)
    for (const [before, path, search] of [
      ['/books?month=2026-03&day=2026-03-04', '/month', { month: '2026-03', day: '2026-03-04' }],
      ['/ops?dialog=new', '/ops', { dialog: 'new' }],
      ['/ops/webhooks?state=failing', '/ops', {}],
    ] as const) {
      await goTo(page, site, before)
      assert.equal(pathOf(page), path, before)
      const { location: _, ...query } = Object.fromEntries(new URL(page.url()).searchParams)
      assert.deepEqual(query, search, before)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('screens of a disabled module are not offered', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    // The responses of a server without the figures and books modules.
    await page.route('**/console/api/session', async (route) => {
      const answer = await route.fetch()
      const session = (await answer.json()) as { server: { operations: string[] } }
      const { openapi } = { openapi: (await (await fetch(`${site.url}/openapi.json`)).json()) as { paths: object } }
      assert.deepEqual(session.server.operations.toSorted(), Object.keys(openapi.paths).toSorted())
      const isOff = /^\/v1\/(sales|business-days|completeness|deductions|books|closings|e-reporting|checkpoints)/
      session.server.operations = session.server.operations.filter((path) => !isOff.test(path))
      await route.fulfill({ response: answer, json: session })
    })
    await goTo(page, site, '/orders')
    assert.deepEqual(await placesOf(page), ['Orders', 'Days', 'Settings', 'Webhooks', 'API'])
    assert.deepEqual(findings, [])
    await context.close()
  })
})
