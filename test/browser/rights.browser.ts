import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { installationId } from '../../src/core/domain/accounts/keys.ts'
import { roles, sessionScopes } from '../../src/modules/console/schemas/console.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, goWithin, noChromium, openConsole, visitAs, visitAsOperator, type Visitor } from '../support/console.ts'
import { everyScreen, knownOf, operatorScreens } from '../support/console-screens.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 6 })

/** Parameters that open a panel or another list; all others only filter. */
const panels = ['order', 'delivery', 'entry', 'record', 'dialog', 'tab', 'view', 'day']

/** Returns the form of a link. Links with the same form lead to the same screen and panel of a location. */
function formOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://console')
  const opened = panels.filter((name) => searchParams.has(name)).map((name) => `${name}=${searchParams.get(name)}`)
  const form = [pathname, ...opened].join(' ').replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d+/g, '*')
  return `${form} ${searchParams.get('location')}`
}

/** How many links of each form are followed, since one order may have what another lacks. */
const followedOfForm = 2

/** Resolves to the paths of all links on the screen, below the path of the console. */
const linksOf = async (page: Page) =>
  (await page.locator('a[href]').evaluateAll((all) => all.map((one: any) => one.pathname + one.search)))
    .filter((path) => path.startsWith('/console/'))
    .map((path) => path.replace('/console', ''))

/** Screens with an address that can be typed, because it contains no id. */
const typed = [...everyScreen, ...operatorScreens, '/restaurants'].filter((path) => !/[?]|[A-Z]{4}/.test(path))

const refusals = /scope_missing|recipient_forbidden|location_forbidden|route_not_found/

describe('whoever is signed in', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const { pool, location } = site

  /** Creates a delivery, a rejected record, a disabled webhook, and another location. */
  const prepared = (async () => {
    await knownOf(site, receiver.url('/ok'))
    const recipientId = crypto.randomUUID()
    const endpoint = { endpointUrl: receiver.url('/off'), events: ['order.paid'], locationId: location, recipientId }
    const { id } = await site.post('/v1/webhooks/', endpoint)
    await pool`update webhooks set state = 'disabled', disabled_reason = 'operator' where id = ${id}`
    return { recipientId, other: await addLocation(pool) }
  })()

  const byKey = async (locationId: string, changes: Parameters<typeof addKey>[2]) =>
    visitAs(browser, { ...site, ...(await addKey(pool, locationId, changes)) })

  const sessions: [who: string, come: () => Promise<Visitor>][] = [
    ['who runs the installation', () => visitAsOperator(browser, site)],
    ...roles.map((role): [string, () => Promise<Visitor>] => [
      `by a link as ${role}`,
      // An owner has several restaurants.
      async () => {
        const locationIds = role === 'owner' ? [location, (await prepared).other] : [location]
        return visitAsOperator(browser, site, {}, { role, locationIds })
      },
    ]),
    ...sessionScopes.map((scope): [string, () => Promise<Visitor>] => [
      `by a key with only ${scope}`,
      () => byKey(scope === 'admin' ? installationId : location, { scopes: [scope] }),
    ]),
    ['by a key with every right', () => byKey(location, {})],
    [
      'by the key of a recipient',
      async () => byKey(location, { scopes: ['read', 'webhooks'], recipientId: (await prepared).recipientId }),
    ],
  ]

  for (const [who, come] of sessions) {
    test(`${who} finds only links to screens that may be opened, and reads why others are closed`, async () => {
      await prepared
      const { context, page, findings } = await come()
      const refused: string[] = []
      page.on('response', (answer) => {
        if ([401, 403].includes(answer.status())) refused.push(`${answer.status()} ${answer.url()} on ${page.url()}`)
      })
      const alert = page.locator('#main').getByRole('alert')
      await goTo(page, site, '/')
      const seen = new Map<string, Set<string>>()
      const open = await linksOf(page)
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        const alike = seen.get(formOf(path)) ?? new Set()
        if (alike.has(path) || alike.size === followedOfForm) continue
        seen.set(formOf(path), alike.add(path))
        await goWithin(page, path)
        assert.equal(await alert.filter({ hasText: refusals }).count(), 0, path)
        open.push(...(await linksOf(page)))
      }
      for (const path of typed) {
        await goWithin(page, path)
        const texts = await alert.allInnerTexts()
        assert.deepEqual(
          texts.filter((text) => !refusals.test(text)),
          [],
          path,
        )
        assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, path)
      }
      assert.deepEqual([refused, findings], [[], []])
      await context.close()
    })
  }

  test('without a right that opens a screen, or without a restaurant, reads whom to ask', async () => {
    const { context, page, findings } = await byKey(location, { scopes: ['books'] })
    await goTo(page, site, '/')
    await page.getByRole('heading', { name: 'Your rights do not include any screen' }).waitFor()
    await page.getByText('Ask an operator of the server for a key or a link with the right “read”.').waitFor()
    await page.locator('#main').getByText('test', { exact: true }).waitFor()
    await page.route('**/console/api/session', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), locations: [] } })
    })
    for (const path of ['/', '/today']) {
      await goTo(page, site, path)
      await page.getByRole('heading', { name: 'You do not have access to any restaurant' }).waitFor()
      await page.getByText('Ask an operator of the server to give you access').waitFor()
      await page.locator('#main').getByText('test', { exact: true }).waitFor()
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('by the key of a recipient reads why the access log is closed, and what to do', async () => {
    const { recipientId } = await prepared
    const { context, page } = await byKey(location, { recipientId })
    await goTo(page, site, '/log')
    const alert = page.locator('#main').getByRole('alert')
    await alert.getByText('ask the operator for a key without a recipient').waitFor()
    assert.equal(await alert.getByRole('button').count(), 0)
    await context.close()
  })
})
