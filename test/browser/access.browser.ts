import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readConfig } from '../../src/core/config.ts'
import { createLog } from '../../src/core/server/log.ts'
import { serverSettings, startServer } from '../../src/core/server/start.ts'
import { appendAccess } from '../../src/core/store/accounts/access.ts'
import { addKey, addLocation, unlimited } from '../support/app.ts'
import { createDatabase } from '../support/database.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAsOperator } from '../support/console.ts'
import { locationOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

const rows = (page: Page) => page.locator('#main [data-row]')

describe('an operator in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const { pool, location, url } = site

  const operator = () => visitAsOperator(browser, site)

  test('has the four lists of access on one line of a narrow telephone', async () => {
    for (const locale of ['en-GB', 'fr-FR']) {
      const { context, page } = await visitAsOperator(browser, site, { locale, viewport: { width: 320, height: 800 } })
      for (const tab of ['keys', 'sessions', 'passkeys', 'audit']) {
        await goTo(page, site, `/ops/keys?tab=${tab}&location=${location}`)
        const tops = await page.locator('#main nav a').evaluateAll((all) => all.map((one: any) => one.offsetTop))
        assert.deepEqual([tops.length, new Set(tops).size], [4, 1], `${tab} in ${locale}`)
      }
      await context.close()
    }
  })

  test('sees what each operation changed, before and after', async () => {
    const { context, page } = await operator()
    await goTo(page, site, `/ops?dialog=edit&id=${location}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('recalculates all figures').waitFor()
    await dialog.getByLabel('City').fill('Lyon')
    await dialog.getByLabel('The business day starts at').fill('04:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await goTo(page, site, `/ops/keys?tab=audit&location=${location}`)
    const act = rows(page).filter({ hasText: 'Location changed' }).first()
    assert.equal(await act.locator('ins').innerText(), '04:00')
    assert.equal(await act.locator('del').innerText(), '05:00')
    // A restaurant's record can name a person, so the log only names the fields that changed.
    const changes = act.getByRole('cell').last()
    assert.match(await changes.innerText(), /^City\nThe business day starts at /)
    assert.doesNotMatch(await changes.innerText(), /Lyon/)
    await context.close()
  })

  test('in French is called by the French word for the role, in every list and in the session menu', async () => {
    const { context, page } = await visitAsOperator(browser, site, { locale: 'fr-FR' })
    for (const tab of ['sessions', 'audit']) {
      await goTo(page, site, `/ops/keys?tab=${tab}&location=${location}`)
      const text = (await rows(page).allInnerTexts()).join('\n')
      assert.match(text, /Exploitant/, tab)
      assert.doesNotMatch(text, /\boperator\b/i, tab)
    }
    await page.getByRole('button', { name: 'Session', exact: true }).click()
    await page.getByRole('dialog').getByText('Exploitant', { exact: true }).waitFor()
    await context.close()
  })

  test('sees the newest operation first, however many there are, and can page to older ones', async () => {
    const site = await addLocation(pool)
    const act = { act: 'key.created', by: 'cli', locationId: site } as const
    const records = Array.from({ length: 120 }, (_, n) => ({ kind: 'act' as const, ...act, subject: `act ${n}` }))
    await appendAccess(pool, site, records, { now: new Date() })
    const { context, page, findings } = await operator()
    await goTo(page, { url }, `/ops/keys?tab=audit&only=yes&location=${site}`)
    const seen = async () => (await rows(page).allInnerTexts()).map((text) => /act \d+/.exec(text)?.[0])
    const from = (first: number) => Array.from({ length: 50 }, (_, n) => `act ${first - n}`)
    assert.deepEqual(await seen(), from(119))
    await page.getByRole('button', { name: 'Older' }).click()
    await page.waitForURL((address) => address.searchParams.has('cursor'))
    await settled(page)
    assert.deepEqual(await seen(), from(69))
    await page.getByRole('button', { name: 'Back to the newest' }).click()
    await page.waitForURL((address) => !address.searchParams.has('cursor'))
    await settled(page)
    assert.deepEqual(await seen(), from(119))
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('creates a key that is shown once and revokes it, and ends the session of a link; all of it is in the audit log', async () => {
    const { context, page, findings } = await operator()
    await goTo(page, site, `/ops/keys?location=${location}`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Comptable')
    await dialog.getByRole('button', { name: 'New key' }).click()
    const key = await dialog.getByText(/^tg_live_/).innerText()
    const read = () => fetch(`${site.url}/v1/orders/`, { headers: { 'x-api-key': key } })
    assert.equal((await read()).status, 200)
    // The pressed button has disappeared, and the dialog gets the focus back a moment later.
    await page.waitForFunction("document.querySelector('[role=dialog]')?.contains(document.activeElement)")
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(key), 'it is shown once')
    await rows(page).filter({ hasText: 'Comptable' }).getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await eventually(async () => (await read()).status === 401, 'the key is refused')

    // An operator whose session began with a link of the command line invites an accountant to two restaurants.
    const second = await addLocation(site.pool)
    await site.push(
      [{ type: 'location', data: locationOf(second, { name: 'Zinc', city: 'Lille' }) }],
      (await addKey(site.pool, second)).key,
    )
    await goTo(page, site, `/ops/keys?tab=sessions&location=${location}`)
    await page.locator('#main').getByRole('button', { name: 'New link' }).first().click()
    await dialog.getByLabel('Name of the recipient').fill('M. Compte')
    await dialog.getByLabel('Role').selectOption('accountant')
    await dialog.getByLabel('Add a location').fill('Zinc')
    await dialog.getByLabel('Zinc, Lille').check()
    await dialog.getByRole('button', { name: 'New link' }).click()
    const invitation = await dialog.getByText(/#code=tgc_/).innerText()
    const accountant = await visit(browser, site)
    await accountant.page.goto(invitation)
    await accountant.page.getByRole('button', { name: 'Sign in' }).click()
    await accountant.page.getByRole('heading', { name: 'Month' }).waitFor()
    await goTo(accountant.page, site, `/month?location=${second}`)
    await accountant.page
      .locator('#main')
      .getByRole('button', { name: /^Issue up to/ })
      .waitFor()
    await accountant.context.close()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    const link = await site.post('/v1/console/links', { role: 'owner', scopes: ['read'], name: 'Mme Petit' })
    const owner = await visit(browser, site)
    await owner.page.goto(link.url)
    await owner.page.getByRole('button', { name: 'Sign in' }).click()
    await owner.page.getByRole('heading', { name: 'Today' }).waitFor()
    await goTo(page, site, `/ops/keys?tab=sessions&location=${location}`)
    const from = rows(page).filter({ hasText: 'Mme Petit' }).getByRole('cell').filter({ hasText: '127.0.0.1' })
    assert.match(await from.innerText(), /^127\.0\.0\.1\nChrome, Linux$/)
    await rows(page).filter({ hasText: 'Mme Petit' }).getByRole('button', { name: 'End' }).click()
    await dialog.getByRole('button', { name: 'End', exact: true }).click()
    const session = () => owner.context.request.get(`${site.url}/console/api/session`)
    await eventually(async () => (await session()).status() === 401, 'the session of the link is refused')
    await owner.context.close()

    await goTo(page, site, `/ops/keys?tab=audit&location=${location}`)
    // The key is selected by its name, not by its id.
    await rows(page).filter({ hasText: 'Key revoked' }).filter({ hasText: 'Comptable' }).first().waitFor()
    const acts = await rows(page).allInnerTexts()
    for (const act of ['Key created', 'Key revoked', 'Link created', 'Signed in', 'Session ended']) {
      assert.ok(
        acts.some((text) => text.includes(act)),
        `${act} in ${acts.join(' | ')}`,
      )
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('finds any location by name, beyond the first page of them, and sees locations by name', async () => {
    const made = await Promise.all(Array.from({ length: 52 }, () => addLocation(pool)))
    // This location has the highest id, so it is not on the first page.
    const far = await addLocation(pool, `ffffffff-${crypto.randomUUID().slice(9)}`)
    await pool`update locations set without_devices = replace(without_devices, ${'"name":"'}, ${'"name":"Crêperie Zoé '}) where id = ${far}`
    await addKey(pool, far)
    const { context, page, findings } = await operator()
    const isAt = (id: string | undefined) => (url: URL) => url.searchParams.get('location') === id
    await goTo(page, site, `/ops/keys?location=${location}`)
    await rows(page).filter({ hasText: 'Crêperie Zoé' }).first().waitFor()
    await page.getByTitle('Location').click()
    const choice = page.getByRole('dialog', { name: 'Location' })
    await choice.getByText('More locations match').waitFor()
    // The field has the focus, so users can type immediately.
    await choice.locator('input:focus').waitFor()
    await page.keyboard.type('creperie zo')
    await choice.getByRole('button', { name: /^Crêperie Zoé/ }).click()
    await page.waitForURL(isAt(far))
    await page.getByTitle('Location').getByText('Crêperie Zoé').waitFor()
    // The selection applies to every screen, to a new tab, and to a saved URL that does not contain it.
    const at = (href: string | null) => new URL(href ?? '', page.url()).searchParams.get('location')
    for (const screen of ['/orders', '/ops/system']) {
      await goTo(page, site, screen)
      await page.waitForURL(isAt(far))
      const links = await page.locator('a[href*="/console/"]:not([href*="location="])').count()
      assert.equal(links, 0, screen)
    }
    await page.getByRole('link', { name: 'Fleet' }).click()
    await page.getByRole('link', { name: 'Tills' }).click()
    await page.waitForURL((address) => address.pathname.endsWith('/ops/tills') && isAt(far)(address))
    assert.equal(at(await page.getByRole('link', { name: 'Sales' }).getAttribute('href')), far)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('searchbox').fill(made[0] as string)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Location\s/ })
      .click()
    await page.waitForURL(isAt(made[0]))
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('is guided to the first location if there is none, sees no action that would fail, and creates an installation key', async () => {
    const own = await createDatabase()
    const settings = readConfig(serverSettings(), { role: 'api', port: '0', ...unlimited }, {})
    const server = await startServer(own.pool, settings, createLog('silent'))
    const empty = { pool: own.pool, url: server.url as string }
    const { context, page, findings } = await visitAsOperator(browser, empty)
    await page.goto(`${empty.url}/console/`)
    await page.waitForURL(/\/ops$/)
    await settled(page)
    const links = page.getByRole('navigation', { name: 'Navigation' }).getByRole('link')
    const named = async () => (await links.allInnerTexts()).filter((name) => !name.startsWith('API reference'))
    assert.deepEqual(await named(), [
      'Fleet', 'Rejected', 'Access', 'System',
    ]) // prettier-ignore
    for (const name of await named()) {
      await page.getByRole('link', { name, exact: true }).click()
      await settled(page)
      assert.equal(await page.getByRole('alert').count(), 0, name)
    }
    for (const path of ['/today', '/webhooks', '/ops/tills']) {
      await goTo(page, empty, path)
      await page.getByText('This screen shows a location. Create one first.').waitFor()
      assert.equal(await page.getByRole('alert').count(), 0, path)
    }

    await goTo(page, empty, '/ops/keys?dialog=key')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Desk')
    assert.deepEqual(await dialog.getByLabel('For').locator('option').count(), 1)
    await dialog.getByRole('button', { name: 'New key' }).click()
    const key = await dialog.getByText(/^tg_live_/).innerText()
    const answers = async (path: string) =>
      (await fetch(`${empty.url}${path}`, { headers: { 'x-api-key': key } })).status
    assert.deepEqual([await answers('/v1/admin/overview'), await answers('/v1/orders/')], [200, 403])
    await page.keyboard.press('Escape')
    await rows(page).filter({ hasText: 'Desk' }).getByText('the installation').waitFor()

    await page.getByRole('button', { name: 'New link' }).click()
    await dialog.getByRole('link', { name: 'New location' }).click()
    await dialog.getByLabel('Name').fill('Chez Petit')
    assert.equal(await dialog.getByText('recalculates').count(), 0, 'it has no figures yet')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await links.filter({ hasText: 'Home' }).click()
    await page.getByText('No order yet').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
    await server.close()
  })
})
