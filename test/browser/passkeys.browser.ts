import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readConfig } from '../../src/core/config.ts'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { sessionTimes } from '../../src/modules/console/schemas/console.ts'
import { createLog } from '../../src/core/server/log.ts'
import { serverSettings, startServer } from '../../src/core/server/start.ts'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import { unlimited } from '../support/app.ts'
import { goTo, noChromium, openConsole, visit, visitAsOperator } from '../support/console.ts'
import { fits, violationsOf } from '../support/console-looks.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

/** Returns the URL with a host name: browsers bind a passkey to a domain, and an IP address is not a domain. */
const named = (url: string) => url.replace('127.0.0.1', 'localhost')

/** Adds an authenticator to Chromium that agrees to every request, with a fingerprint. */
async function deviceOf(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

describe('the user of a link', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const url = named(site.url)

  async function linkFor(name: string, changes: object = {}): Promise<string> {
    const who = { kind: 'link', role: 'owner', name, scopes: ['read'], locationIds: [site.location] } as const
    const made = { recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null, ...sessionTimes.owner, ...changes }
    return (
      await createConsoleLink(
        site.pool,
        { ...who, scopes: ['read'], locationIds: [site.location], ...made },
        new Date(),
      )
    ).code
  }

  async function arrive(name: string, changes: object = {}, locale = 'en-GB') {
    const visitor = await visit(browser, { url }, { locale })
    const { page } = visitor
    await page.goto(`${url}/console/#code=${await linkFor(name, changes)}`)
    await page.locator('button').first().click()
    await page.locator('#main h1').waitFor()
    return visitor
  }

  async function addPasskey(page: Page, label: string): Promise<void> {
    await goTo(page, { url }, '/access')
    await main(page).getByLabel('Device').fill(label)
    await main(page).getByRole('button', { name: 'Add a passkey' }).click()
    await main(page).getByText('The passkey was added.').waitFor()
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Session', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.locator('input[name=key]').waitFor()
  }

  const enter = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click()

  /** Waits for the screen that was open before the sign-in. */
  const isIn = (page: Page) => page.getByRole('heading', { name: 'My access' }).waitFor()

  const isRefused = (page: Page) => page.getByText('The passkey is not accepted').waitFor()

  test('adds a passkey, signs in with it, and removes it, which ends its access', async () => {
    const { context, page, findings } = await arrive('Mme Petit')
    await deviceOf(page)
    await addPasskey(page, 'Phone of Mme Petit')
    assert.deepEqual(await violationsOf(page), [])
    await signOut(page)
    assert.deepEqual(await violationsOf(page), [])
    await enter(page)
    await isIn(page)
    await goTo(page, { url }, '/access')
    const row = main(page).locator('[data-row]').filter({ hasText: 'Phone of Mme Petit' })
    assert.match(await row.innerText(), /of this session/)
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    // Sessions that the passkey opened end with it, including the one of this page.
    await eventually(async () => {
      await page.reload()
      await page.locator('h1').waitFor()
      return (await page.locator('input[name=key]').count()) === 1
    }, 'the session has ended')
    await enter(page)
    await isRefused(page)
    assert.deepEqual(await violationsOf(page), [])
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('sees that the session is about to end, in both languages, and renews it', async () => {
    const words = {
      'en-GB': { soon: /^Your session ends on .+ Renew it, or add a passkey$/, renew: 'Renew the session' },
      'fr-FR': { soon: /^Votre session prend fin le .+ La prolonger, ou ajouter/, renew: 'Prolonger la session' },
    }
    for (const [locale, { soon, renew }] of Object.entries(words)) {
      const name = `M. Roux ${locale}`
      const { context, page, findings } = await arrive(name, {}, locale)
      const note = main(page).getByText(soon)
      assert.equal(await note.count(), 0, 'not on the first day')
      await site.pool`
        update console_sessions set redeemed_at = redeemed_at - interval '27 days', ends_at = ends_at - interval '27 days',
          renew_until = renew_until - interval '27 days'
        where name = ${name}`
      // The server caches the state for three seconds.
      await eventually(async () => {
        await page.reload()
        await page.locator('#main h1').waitFor()
        return (await note.count()) === 1
      }, 'its end is shown')
      await note.getByRole('link').click()
      await main(page).getByRole('button', { name: renew }).click()
      const endsAt = async () => {
        const [row] = await site.pool<{ at: Date }[]>`select ends_at as at from console_sessions where name = ${name}`
        return row?.at.getTime() ?? 0
      }
      await eventually(async () => (await endsAt()) > Date.now() + 29.9 * dayMs, 'it lasts 30 days from now')
      assert.ok((await endsAt()) <= Date.now() + 30 * dayMs)
      assert.deepEqual(await violationsOf(page), [])
      await page.setViewportSize({ width: 320, height: 800 })
      await fits(page, `/access in ${locale} at 320`)
      assert.deepEqual(findings, [])
      await context.close()
    }
  })

  test('cannot add a passkey if the link does not allow it, and sees a message', async () => {
    const { context, page, findings } = await arrive('M. Court', { renewS: 0, lastsS: 86_400 })
    await goTo(page, { url }, '/access')
    await main(page).getByText('does not allow renewals or passkeys').waitFor()
    assert.equal(
      await main(page)
        .getByRole('button', { name: /Renew|Add a passkey/ })
        .count(),
      0,
    )
    // With an IP address, the page explains why there are no passkeys.
    await page.goto(`${site.url}/console/#code=${await linkFor('M. Court')}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.goto(`${site.url}/console/access`)
    await main(page).getByText('Passkeys require https and a host name').waitFor()
    assert.deepEqual(
      findings.filter((one) => !one.includes(site.url)),
      [],
    )
    await context.close()
  })

  test('is refused with a copied passkey, or one that was added on another port of the host', async () => {
    const { context, page } = await arrive('Mme Grand')
    const { cdp, authenticatorId } = await deviceOf(page)
    await addPasskey(page, 'Laptop')
    await signOut(page)
    await enter(page)
    await isIn(page)
    await signOut(page)
    // The counter of a copy is behind that of the device.
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    assert.ok(credential && credential.signCount > 1, 'the device counts')
    const { credentialId } = credential
    const put = async (signCount: number) => {
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
    }
    await put(0)
    await enter(page)
    await isRefused(page)
    await put(credential.signCount + 10)
    // Another server of the same database, on another port: the browser offers the passkey because the domain is the
    // same.
    const settings = { role: 'api', port: '0', ...unlimited }
    const other = await startServer(site.pool, readConfig(serverSettings(), settings, {}), createLog('silent'))
    await page.goto(`${named(other.url ?? '')}/console/`)
    await enter(page)
    await isRefused(page)
    await other.close()
    await page.goto(`${url}/console/`)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await enter(page)
    await page.getByText('The device refused').waitFor()
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await enter(page)
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await context.close()
  })

  test('is visible to the operator, who removes a passkey', async () => {
    const { context, page } = await arrive('M. Perdu')
    await deviceOf(page)
    await addPasskey(page, 'Lost phone')
    await signOut(page)
    const operator = await visitAsOperator(browser, site)
    await goTo(operator.page, site, '/ops/keys?tab=passkeys')
    const row = main(operator.page).locator('[data-row]').filter({ hasText: 'Lost phone' })
    assert.match(await row.innerText(), /M\. Perdu/)
    await row.getByRole('button', { name: 'Remove' }).click()
    await operator.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    assert.deepEqual(operator.findings, [])
    await enter(page)
    await isRefused(page)
    await goTo(operator.page, site, '/ops/keys?tab=audit')
    await main(operator.page).getByText('Passkey removed').first().waitFor()
    await operator.context.close()
    await context.close()
  })
})
