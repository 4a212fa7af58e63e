import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  goTo,
  goWithin,
  noChromium,
  openConsole,
  settled,
  tabTo,
  visit,
  visitAs,
  visitAsOperator,
} from '../support/console.ts'
import { fits, hiddenFocusOf, overflowOf, sameButtonsOf, violationsOf } from '../support/console-looks.ts'
import { everyScreen, knownOf, operatorScreens, withIds } from '../support/console-screens.ts'

const main = (page: Page) => page.locator('#main')

/** French words that are also English. */
const inBoth = new Set([
  'Dates …', 'Journal X', 'FEC', 'Excel', 'JSON',
  'Webhooks', 'Navigation', 'Restaurant', 'Webhook', 'Session', 'webhooks', 'Tillgate', 'Pages', 'Total', 'API', 'Ticket',
  'Menu', 'Sessions', 'Versions', 'Version', 'Verdict', 'correction', 'Taxes', 'Exports', 'Journal', 'DNS', 'TLS', 'Secret', 'webhook-signature',
  'Pause', 'Type', 'E-reporting', 'services', 'Code', 'active', 'Migration', 'Migrations', 'Tables', 'Route', 'Sources', 'Source', 'Square', 'Toast', 'SumUp', 'Loyverse', 'Lightspeed K', 'Document',
]) // prettier-ignore

/** Returns each text of a part of the console with its key. Parameters of a text are replaced by letters. */
const textsOf = (value: unknown, at: string): [place: string, text: string][] => {
  if (typeof value === 'string') return [[at, value]]
  if (typeof value === 'function') return [[at, String(value('X', 'Y', 'Z'))]]
  return Object.entries(value ?? {}).flatMap(([name, part]) => textsOf(part, `${at}.${name}`))
}

/** Resolves to all texts of the console in one language. */
async function textsIn(language: 'en' | 'fr'): Promise<[place: string, text: string][]> {
  const files = await readdir(join(import.meta.dirname, '../../console/src/i18n/en'))
  const parts = files.map(async (file) =>
    textsOf(await import(`../../console/src/i18n/${language}/${file}`), file.replace(/\.ts$/, '')),
  )
  return (await Promise.all(parts)).flat()
}

/** Expressions that a native speaker would not use about a restaurant. */
const isRefused =
  /\bjours? de semaine\b|réparez|commandes? de formation|certificat de la tête|époque|du bon genre|^close$|dans l’heure de|^la moitié|^closes? du |sur 100|font l[ae] |offerts ou jetés \(/i

const parts = await openConsole({ ordersPerDay: 8 })

describe('each screen of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))

  const visitors = [
    { who: 'somebody with a key', come: visitAs, screens: everyScreen },
    { who: 'who runs the installation', come: visitAsOperator, screens: operatorScreens },
  ]

  for (const { who, come, screens } of visitors) {
    for (const locale of ['en-GB', 'fr-FR']) {
      test(`of ${who} is accessible, titled and within its policy in ${locale}, light and dark`, async () => {
        const { context, page, findings } = await come(browser, site, { locale })
        for (const [at, path] of screens.entries()) {
          await page.emulateMedia({ colorScheme: 'light' })
          await (at === 0 ? goTo(page, site, withIds(path, await known)) : goWithin(page, withIds(path, await known)))
          assert.deepEqual(await violationsOf(page), [], `${path} in light`)
          assert.deepEqual(await sameButtonsOf(page), [], path)
          assert.match(await page.title(), /^.+ · Tillgate$/, path)
          assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
          assert.deepEqual(await hiddenFocusOf(page), [], `${path}: what has the focus is seen`)
          await page.emulateMedia({ colorScheme: 'dark' })
          assert.deepEqual(await violationsOf(page, { colours: true }), [], `${path} in dark`)
          if (locale !== 'fr-FR') continue
          // The language with the longer words, with text at twice the size.
          for (const [width, size] of [
            [320, 100],
            [640, 200],
            [1280, 200],
            [1280, 100],
          ] as const) {
            await page.setViewportSize({ width, height: 800 })
            await page.evaluate(`document.documentElement.style.fontSize = '${size === 100 ? '' : '187.5%'}'`)
            await fits(page, `${path} at ${width}, text at ${size} %`)
            if (width === 320) assert.deepEqual(await hiddenFocusOf(page), [], `${path} at ${width}: focus`)
          }
        }
        assert.deepEqual(findings, [])
        await context.close()
      })
    }
  }

  test('before sign-in is the sign-in screen, in both themes and languages', async () => {
    for (const locale of ['en-GB', 'fr-FR']) {
      const { context, page, findings } = await visit(browser, site, { locale })
      await page.goto(`${site.url}/console/orders?range=28d`)
      await page.locator('input[name=key]').waitFor()
      assert.deepEqual(await violationsOf(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await violationsOf(page), [])
      assert.equal(await overflowOf(page), 0)
      // After signing in, the user sees the screen that was requested.
      await tabTo(page, locale === 'en-GB' ? 'API key' : 'Clé d’API')
      await page.keyboard.type(site.key)
      await page.keyboard.press('Enter')
      await settled(page)
      assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/console/orders?range=28d')
      // The icon is found at the page's address, even from a screen with a longer path.
      const beside = await main(page).locator('[data-row] a').first().getAttribute('href')
      const id = new URL(beside ?? '', page.url()).searchParams.get('order')
      await goTo(page, site, `/orders/${id}`)
      const icon =
        'fetch(document.querySelector("link[rel=icon]").href).then(({ headers }) => headers.get("content-type"))'
      assert.match(await page.evaluate<string>(icon), /^image\/svg/)
      assert.deepEqual(findings, [])
      await context.close()
    }
  })

  test('has accessible overlays and states: search, menus, shortcuts, links, errors and empty lists', async () => {
    const { ORDER, WEBHOOK } = await known
    const { orderNumber } = await site.get(`/v1/orders/${ORDER}`)
    const link = await site.post('/v1/console/links', { role: 'owner', scopes: ['read'], name: 'Mme Petit' })
    for (const locale of ['en-GB', 'fr-FR']) {
      const { context, page, findings } = await visitAsOperator(browser, site, { locale })
      const looked = async (what: string) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await violationsOf(page), [], `${what} in ${colorScheme}, ${locale}`)
        }
        assert.deepEqual(await hiddenFocusOf(page), [], what)
        await fits(page, what)
      }
      const dialog = page.getByRole('dialog')
      const closed = async () => {
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
      const opened = async (button: Locator, what: string) => {
        await button.click()
        await dialog.waitFor()
        await looked(what)
        await closed()
      }
      const bar = page.getByRole('banner').getByRole('button')
      await goTo(page, site, `/today?location=${site.location}`)
      await page.keyboard.press('ControlOrMeta+k')
      await dialog.getByRole('searchbox').fill(orderNumber)
      await dialog.getByRole('button').filter({ hasText: orderNumber }).first().waitFor()
      await looked('search')
      await closed()
      await page.keyboard.press('?')
      await dialog.waitFor()
      await looked('shortcuts')
      await closed()
      await opened(bar.last(), 'session')
      await opened(page.getByTitle(locale === 'en-GB' ? 'Location' : 'Établissement', { exact: true }), 'location')
      await page.setViewportSize({ width: 390, height: 844 })
      await opened(bar.first(), 'navigation')
      for (const path of [`/webhooks/${WEBHOOK}?dialog=delete`, '/orders?number=none', '/orders/none', '/nowhere']) {
        await goTo(page, site, `${path}${path.includes('?') ? '&' : '?'}location=${site.location}`)
        await looked(path)
      }
      assert.deepEqual(findings, [])
      await context.close()
      const owner = await visit(browser, site, { locale })
      await owner.page.goto(link.url)
      await owner.page.getByRole('button').first().waitFor()
      assert.deepEqual(await violationsOf(owner.page), [], `a link in ${locale}`)
      await owner.context.close()
    }
  })

  test('is translated to French, except for words common to both languages', async () => {
    const french = new Map(await textsIn('fr'))
    const same = (await textsIn('en')).filter(([at, text]) => french.get(at) === text).map(([, text]) => text)
    assert.deepEqual(
      [...new Set(same)].filter((text) => /\p{L}{3}/u.test(text) && !inBoth.has(text)),
      [],
    )
  })

  test('uses the usual French terms', async () => {
    assert.deepEqual(
      (await textsIn('fr')).filter(([, text]) => isRefused.test(text)),
      [],
    )
  })

  test('is in the tested list, if it can be reached', async () => {
    const { context, page } = await visitAsOperator(browser, site)
    await goTo(page, site, '/today')
    const paths = await page
      .getByRole('navigation', { name: 'Navigation' })
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { pathname: string }).pathname.replace('/console', '')),
      )
    const known = new Set([...everyScreen, ...operatorScreens].map((path) => path.replace(/\?.*/, '')))
    assert.deepEqual(
      paths.filter((path) => path !== '/docs/' && !known.has(path)),
      [],
    )
    await context.close()
  })
})
