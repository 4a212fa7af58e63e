import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { problems, type ProblemCode } from '../../src/core/contract/errors/errors.ts'
import { faults, type FaultCode } from '../../src/core/contract/errors/faults.ts'
import { atEnd } from '../support/database.ts'
import { startConsoleProxy, type Refusal } from '../support/console-proxy.ts'
import { typeset } from '../../console/src/i18n/typeset.ts'
import { goTo, noChromium, openConsole, settled, visitAs, visitAsOperator } from '../support/console.ts'
import { everyScreen, isOfSession, knownOf, operatorScreens, withIds } from '../support/console-screens.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')

type ProblemTexts = {
  problems: Record<ProblemCode | 'unexpected_answer', readonly [title: string, help: string]>
  faults: Record<FaultCode, string>
}

/**
 * Imports the texts of the console. The console and the tests import the client under different names, so the texts
 * have no types here.
 */
const textsIn = async (language: 'en' | 'fr') =>
  ((await import(`../../console/src/i18n/${language}/problems.ts`)) as { problemTexts: ProblemTexts }).problemTexts

const [english, french] = [await textsIn('en'), typeset(await textsIn('fr'))]
const languages = [
  ['en-GB', english.problems, english.faults],
  ['fr-FR', french.problems, french.faults],
] as const

/** Seconds to wait, so many that nothing is requested again during the test. */
const hourS = 3600

const asksToWait = (code: ProblemCode) => [429, 503].includes(problems[code][0])

const refusalOf = (code: ProblemCode): Refusal => ({ code, ...(asksToWait(code) && { retryAfterS: hourS }) })

describe('an error in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))
  const opened = startConsoleProxy(site.url)
  atEnd(async () => (await opened).close())

  const alertOf = (where: Locator, text: string) => where.getByRole('alert').filter({ hasText: text }).first()

  test('is shown in both languages, for each code of the closed table: its meaning and what to do', async () => {
    const proxy = await opened
    const codes = Object.keys(problems) as ProblemCode[]
    for (const [locale, texts, faultTexts] of languages) {
      const { context, page, findings } = await visitAs(browser, { url: proxy.url, key: site.key }, { locale })
      proxy.refuse(refusalOf('order_not_found'), /orders/)
      await goTo(page, proxy, '/orders?range=28d')
      for (const code of codes) {
        const [title, help] = texts[code]
        proxy.refuse(refusalOf(code), /orders/)
        await main(page).getByRole('alert').getByRole('button').first().click()
        const alert = alertOf(main(page), code)
        await alert.waitFor()
        const lines = (await alert.innerText()).split(/\n+/)
        assert.deepEqual(lines.slice(0, 2), [title, help], `${code} in ${locale}`)
        assert.ok(lines[2]?.endsWith(problems[code][2]), `${code}: the server’s detail`)
        assert.match(await alert.innerText(), /[\da-f]{8}-[\da-f-]{27}/, 'the number of the request')
        assert.equal(await alert.getByRole('timer').count(), asksToWait(code) ? 1 : 0, code)
      }
      const places = Object.keys(faults) as FaultCode[]
      proxy.refuse(
        {
          code: 'validation_failed',
          errors: places.map((code) => ({ in: 'query', pointer: `/${code}`, code, detail: `what ${code} is` })),
        },
        /orders/,
      )
      await main(page).getByRole('alert').getByRole('button').first().click()
      await main(page).getByRole('alert').locator('li').first().waitFor()
      assert.deepEqual(
        await main(page).getByRole('alert').locator('li').allInnerTexts(),
        places.map((code) => `/${code} ${faultTexts[code]} (what ${code} is)`),
        locale,
      )
      proxy.refuse({ status: 502, html: '<h1>Bad gateway</h1>' }, /orders/)
      await main(page).getByRole('alert').getByRole('button').first().click()
      await main(page).getByText(texts.unexpected_answer[0]).waitFor()
      proxy.refuse(null)
      // The screen continues automatically.
      await main(page).locator('[data-row]').first().waitFor()
      assert.deepEqual(findings, [])
      await context.close()
    }
    for (const code of codes) {
      for (const place of [0, 1]) assert.notEqual(english.problems[code][place], french.problems[code][place], code)
    }
  })

  /** One code of each family, and the most important codes. */
  const families: readonly ProblemCode[] = [
    'validation_failed', 'session_ended', 'scope_missing', 'location_inactive', 'route_not_found', 'incomplete',
    'body_too_large', 'host_unknown', 'rate_limited', 'internal_error', 'figures_building', 'database_unavailable',
  ] // prettier-ignore

  test('is shown on each screen, in the affected box, and disappears when it is over', async () => {
    const proxy = await opened
    let turn = 0
    for (const [come, screens] of [
      [visitAs, everyScreen],
      [visitAsOperator, operatorScreens],
    ] as const) {
      const looked = screens.filter((path) => !path.includes('dialog=') && !isOfSession(path))
      for (const [half, [locale, texts]] of languages.entries()) {
        const { context, page, findings } = await come(browser, { ...site, url: proxy.url }, { locale })
        const retry = page.getByRole('alert').getByRole('button')
        for (const screen of looked.filter((_, place) => place % 2 === half)) {
          turn += 1
          const code = families[turn % families.length] as ProblemCode
          const path = withIds(screen, await known)
          proxy.refuse(refusalOf(code), /^GET /)
          await page.goto(`${proxy.url}/console${path}${path.includes('?') ? '&' : '?'}location=${site.location}`)
          await alertOf(page.locator('#main, [role=dialog]'), texts[code][0]).waitFor()
          await settled(page)
          proxy.refuse(null)
          await eventually(async () => {
            // The screen behind a dialog also has this button. A button may disappear during the click.
            if ((await retry.count()) > 0)
              await retry
                .first()
                .dispatchEvent('click', {}, { timeout: 1000 })
                .catch(() => {})
            return (await page.getByRole('alert').count()) === 0
          }, `${path} is whole again`)
          await settled(page)
        }
        assert.deepEqual(findings, [])
        await context.close()
      }
    }
  })

  test('that asks to wait is retried after the wait, each time', async () => {
    const proxy = await opened
    const { context, page } = await visitAs(browser, { url: proxy.url, key: site.key })
    for (const code of ['rate_limited', 'overloaded'] as const) {
      const before = proxy.refusedAt.length
      proxy.refuse({ code, retryAfterS: 1 }, /\/v1\/orders\//)
      await page.goto(`${proxy.url}/console/orders?range=28d`)
      await main(page).getByRole('timer').waitFor()
      await eventually(() => proxy.refusedAt.length >= before + 4, 'it was requested again and again')
      const times = proxy.refusedAt.slice(before)
      const pauses = times.slice(1).map((at, n) => at - (times[n] as number))
      assert.ok(Math.min(...pauses) > 900, `${pauses.join()} ms between requests`)
      proxy.refuse(null)
      await main(page).locator('[data-row]').first().waitFor()
    }
    await context.close()
  })

  /** Each action with its screen, and the button that performs it. */
  const deeds: readonly (readonly [path: string, fill: (page: Page) => Promise<void>, button: string])[] = [
    ['/webhooks?dialog=new', (page) => page.getByLabel('URL').fill('https://receiver.example/hook'), 'Save'],
    ['/webhooks/WEBHOOK?dialog=test', async () => undefined, 'Send the test'],
    [
      '/webhooks/WEBHOOK?dialog=secret',
      (page) => page.getByRole('button', { name: 'New secret' }).click(),
      'Create a new secret',
    ],
    ['/webhooks/WEBHOOK?delivery=DELIVERY', async () => undefined, 'Resend this event'],
    ['/webhooks/WEBHOOK?dialog=delete', async () => undefined, 'Delete'],
    ['/ops/rejected?only=yes', (page) => page.getByRole('button', { name: 'Delete old records' }).click(), 'Delete'],
    ['/ops/keys', (page) => page.getByRole('button', { name: 'Revoke' }).first().click(), 'Revoke'],
    ['/ops/keys?tab=sessions', (page) => page.getByRole('button', { name: 'End' }).first().click(), 'End'],
    ['/integrity', async () => undefined, 'Verify'],
    ['/ops/keys?dialog=key', (page) => page.getByLabel('Name').fill('Comptable'), 'New key'],
    ['/ops/keys?dialog=link', (page) => page.getByLabel('Name of the recipient').fill('Mme Petit'), 'New link'],
    ['/ops?dialog=new', (page) => page.getByLabel('Name', { exact: true }).fill('Chez Petit'), 'Save'],
  ]

  test('of an action is shown next to the input, and nothing is repeated automatically', async () => {
    const proxy = await opened
    const { context, page, findings } = await visitAsOperator(browser, { ...site, url: proxy.url })
    for (const [place, [screen, fill, button]] of deeds.entries()) {
      const path = withIds(screen, await known)
      const code = (['webhook_limit', 'overloaded', 'internal_error', 'rate_limited'] as const)[
        place % 4
      ] as ProblemCode
      await goTo(page, proxy, `${path}${path.includes('?') ? '&' : '?'}location=${site.location}`)
      const root = path.includes('integrity') ? main(page) : page.getByRole('dialog')
      await fill(page)
      proxy.refuse({ code, ...(asksToWait(code) && { retryAfterS: 1 }) }, /^(POST|PATCH|DELETE)/)
      const before = proxy.refusedAt.length
      await root.getByRole('button', { name: button }).first().click()
      await alertOf(root, english.problems[code][0]).waitFor()
      if (asksToWait(code)) await root.getByRole('timer').waitFor({ state: 'detached' })
      assert.equal(proxy.refusedAt.length, before + 1, `${path} was requested once`)
      proxy.refuse(null)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('of a file, a secret or a search is shown where it was requested', async () => {
    const proxy = await opened
    const { context, page, findings } = await visitAs(browser, { url: proxy.url, key: site.key })
    await goTo(page, proxy, '/orders?range=28d')
    // Paused, so that only the file is requested and refused.
    await page.getByRole('button', { name: /^(live|reconnecting)/ }).click()
    await page.getByRole('button', { name: /^paused/ }).waitFor()
    await settled(page)
    proxy.refuse({ code: 'internal_error' }, /orders/)
    await main(page).getByRole('button', { name: 'CSV' }).first().click()
    const alert = alertOf(main(page), 'internal_error')
    await alert.waitFor()
    proxy.refuse(null)
    const [download] = await Promise.all([page.waitForEvent('download'), alert.getByRole('button').click()])
    assert.match(download.suggestedFilename(), /^Orders-.*\.csv$/)
    await alert.waitFor({ state: 'detached' })
    await goTo(page, proxy, withIds('/webhooks/WEBHOOK?dialog=secret', await known))
    proxy.refuse({ code: 'internal_error' }, /secret/)
    await page.getByRole('dialog').getByRole('button', { name: 'Copy the secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: english.problems.internal_error[0] }).waitFor()
    // A refused search is not an empty result.
    await goTo(page, proxy, '/today')
    proxy.refuse({ code: 'validation_failed' }, /search/)
    await page.keyboard.press('ControlOrMeta+k')
    const search = page.getByRole('dialog', { name: 'Search' })
    await search.getByRole('searchbox').fill('no such thing')
    await alertOf(search, 'validation_failed').waitFor()
    assert.equal(await search.getByText('Nothing found').count(), 0)
    proxy.refuse(null)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
