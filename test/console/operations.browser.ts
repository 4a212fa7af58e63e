import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { appendAccess } from '../../src/store/access.ts'
import { recordUpkeep } from '../../src/store/upkeep.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAsOperator } from '../support/console.ts'
import { linesOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 8 })

const screens = [
  '/ops',
  '/ops/locations',
  '/ops/tills',
  '/ops/rejected',
  '/ops/rejected?all=yes',
  '/ops/rejected?record=RECORD',
  '/ops/webhooks',
  '/ops/keys',
  '/ops/keys?tab=sessions',
  '/ops/keys?tab=audit',
  '/ops/system',
]

const rows = (page: Page) => page.locator('#main [data-row]')

describe('the operations of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const { pool, location, url } = site

  const operator = () => visitAsOperator(browser, site)

  /** A record that is refused, a webhook that fails, one that is disabled, a second location, keys and sessions. */
  const prepared = (async () => {
    const other = await addLocation(pool)
    await addKey(pool, other)
    const wrong = { ...orderOf(location, 901), color: 'red' }
    await fetch(`${site.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': site.key, 'content-type': 'application/json' },
      body: JSON.stringify(order(wrong)),
    })
    receiver.answer('/failing', () => 500)
    const endpoint = async (path: string) =>
      (
        await site.post('/v1/webhooks/', {
          endpointUrl: receiver.url(path),
          events: ['order.paid', 'order.created'],
          locationId: location,
          recipientId: crypto.randomUUID(),
        })
      ).id as string
    const failing = await endpoint('/failing')
    const disabled = await endpoint('/off')
    await pool`update webhooks set state = 'disabled', disabled_reason = 'operator' where id = ${disabled}`
    await site.sellOn()
    const failures = async () => (await site.get(`/v1/webhooks/${failing}/status`)).failures
    await eventually(async () => (await failures()) > 0, 'the webhook fails')
    const [record] = await pool<{ id: string }[]>`select id from rejected_records where location_id = ${location}`
    return { other, failing, disabled, record: record?.id ?? assert.fail('nothing was rejected') }
  })()

  test('have data on each screen, and no error', async () => {
    const { record } = await prepared
    const { context, page, findings } = await operator()
    for (const path of screens) {
      await goTo(page, site, `${path.replace('RECORD', record)}${path.includes('?') ? '&' : '?'}location=${location}`)
      assert.ok((await rows(page).count()) > 0, `${path} has rows`)
      assert.equal(await page.locator('#main [role=alert]').count(), 0, `${path} has no error`)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('tell what needs attention first, and lead to where it is dealt with', async () => {
    const { disabled } = await prepared
    const { context, page } = await operator()
    await goTo(page, site, '/ops')
    const problems = page.getByRole('region', { name: 'Needs attention' })
    await problems.getByText('rejected records').waitFor()
    const link = problems.locator('[data-row]').filter({ hasText: 'webhook disabled' }).getByRole('link')
    await link.click()
    await page.waitForURL((url) => url.pathname.endsWith(`/webhooks/${disabled}`))
    await goTo(page, site, `/ops/rejected?all=yes`)
    await page.getByRole('link', { name: 'unknown_field' }).first().click()
    await page.getByRole('region', { name: 'Records' }).locator('[data-row]').first().getByRole('link').click()
    await page.getByRole('dialog').getByText('/data/color').first().waitFor()
    await context.close()
  })

  test('offer a rejected record for a trial where all of it was kept, and say so where only its beginning was', async () => {
    await prepared
    const long = { ...orderOf(location, 911), orderNumber: 'LONG', operatorName: 'é'.repeat(20_000), color: 'red' }
    await fetch(`${site.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': site.key, 'content-type': 'application/x-ndjson' },
      body: linesOf([order(long), order({ ...long, orderNumber: 'SHORT', operatorName: 'é' })]),
    })
    const kept = await pool<{ id: string; record: string }[]>`
      select id, record from rejected_records where location_id = ${location}`
    const { context, page, findings } = await operator()
    for (const [number, offers, notes] of [
      ['LONG', 0, 1],
      ['SHORT', 1, 0],
    ] as const) {
      const { id } = kept.find(({ record }) => record.includes(number)) ?? assert.fail(`${number} was not kept`)
      await goTo(page, site, `/ops/rejected?record=${id}&location=${location}`)
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Copy the record' }).waitFor()
      const seen = [
        await dialog.getByRole('button', { name: 'Copy as curl, to try a corrected one' }).count(),
        await dialog.getByText('Only the first 16 KiB of so long').count(),
      ]
      assert.deepEqual(seen, [offers, notes], number)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('lead from each kind of problem to the screen that deals with it', async () => {
    const { other } = await prepared
    await recordUpkeep(pool, location, 'verify', { at: new Date('2026-01-01T00:00:00.000Z'), ok: true })
    const ahead = new Date(Date.now() + 90_000).toISOString()
    await site.push([order(orderOf(location, 902, { createdAt: new Date().toISOString(), updatedAt: ahead }))])
    const { context, page } = await operator()
    const leadsTo = async (words: string, path: string) => {
      await goTo(page, site, '/ops')
      const problem = page
        .getByRole('region', { name: 'Needs attention' })
        .locator('[data-row]')
        .filter({ hasText: words })
      await problem.first().getByRole('link').click()
      await page.waitForURL((url) => url.pathname.endsWith(path))
      await settled(page)
    }
    const days = Math.floor((Date.now() - Date.parse('2026-01-01T00:00:00.000Z')) / 86_400_000)
    await leadsTo(`days without verification · ${days}`, '/integrity')
    await leadsTo('till clocks ahead', '/ops/tills')
    await leadsTo('rejected records', '/ops/rejected')
    await leadsTo('nothing received yet', '/ops/tills')
    assert.equal(new URL(page.url()).searchParams.get('location'), other)
    await context.close()
  })

  test('tell of each act what it changed, before and after', async () => {
    const { context, page } = await operator()
    await goTo(page, site, `/ops/locations?dialog=edit&id=${location}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('City').fill('Lyon')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await goTo(page, site, `/ops/keys?tab=audit&location=${location}`)
    const act = rows(page).filter({ hasText: 'Location changed' }).first()
    assert.equal(await act.locator('ins').innerText(), 'Lyon')
    assert.notEqual(await act.locator('del').innerText(), 'Lyon')
    await context.close()
  })

  test('tell the newest act first, however many there were before, and go on to older ones', async () => {
    const site = await addLocation(pool)
    const act = { act: 'key.created', by: 'cli', locationId: site } as const
    const records = Array.from({ length: 120 }, (_, n) => ({ kind: 'act' as const, ...act, subject: `act ${n}` }))
    await appendAccess(pool, site, records, { now: new Date() })
    const { context, page, findings } = await operator()
    await goTo(page, { url }, `/ops/keys?tab=audit&location=${site}`)
    const seen = async () => (await rows(page).allInnerTexts()).map((text) => /act \d+/.exec(text)?.[0])
    const from = (first: number) => Array.from({ length: 50 }, (_, n) => `act ${first - n}`)
    assert.deepEqual(await seen(), from(119))
    await page.getByRole('button', { name: 'Next' }).click()
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

  test('show each till with its last order, until when it is complete and what is open', async () => {
    await prepared
    const { data } = await site.get('/v1/devices/')
    const first = data.find(({ lastOrder }: any) => lastOrder !== null)
    const { context, page } = await operator()
    await goTo(page, site, `/ops/tills?location=${location}`)
    const row = rows(page).filter({ hasText: first.deviceName })
    await row.getByText(first.lastOrder.orderNumber).waitFor()
    assert.equal(await rows(page).count(), data.length)
    await context.close()
  })

  test('make a key that is shown once and revoke it, and end the session of a link; all of it is in the audit', async () => {
    await prepared
    const { context, page, findings } = await operator()
    await goTo(page, site, `/ops/keys?location=${location}`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Comptable')
    await dialog.getByRole('button', { name: 'New key' }).click()
    const key = await dialog.getByText(/^tg_live_/).innerText()
    const read = () => fetch(`${site.url}/v1/orders/`, { headers: { 'x-api-key': key } })
    assert.equal((await read()).status, 200)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(key), 'it is shown once')
    await rows(page).filter({ hasText: 'Comptable' }).getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await eventually(async () => (await read()).status === 401, 'the key is refused')

    const link = await site.post('/v1/console/links', { role: 'owner', scopes: ['read'], name: 'Mme Petit' })
    const owner = await visit(browser, site)
    await owner.page.goto(link.url)
    await owner.page.getByRole('button', { name: 'Sign in' }).click()
    await owner.page.getByRole('heading', { name: 'Today' }).waitFor()
    await goTo(page, site, `/ops/keys?tab=sessions&location=${location}`)
    await rows(page).filter({ hasText: 'Mme Petit' }).getByRole('button', { name: 'End' }).click()
    await dialog.getByRole('button', { name: 'End', exact: true }).click()
    const session = () => owner.context.request.get(`${site.url}/console/api/session`)
    await eventually(async () => (await session()).status() === 401, 'the session of the link is refused')
    await owner.context.close()

    await goTo(page, site, `/ops/keys?tab=audit&location=${location}`)
    // By its name, not by its id.
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

  test('tell what the process is set to and what it was asked for, and no secret', async () => {
    const { context, page, findings } = await operator()
    await goTo(page, site, `/ops/system?location=${location}`)
    const settings = page.getByRole('region', { name: 'Settings' })
    const allowed = settings.locator('[data-row]').filter({ hasText: 'TILLGATE_ALLOW_ADDRESS' })
    await allowed.getByText('127.0.0.0/8').waitFor()
    await settings.getByText('TILLGATE_ROLE').waitFor()
    assert.equal(await settings.getByText('TILLGATE_DOCS').count(), 0, 'what has its default is left out')
    const pushes = page.getByRole('region', { name: 'Requests by route' }).locator('[data-row]')
    await pushes.filter({ hasText: 'POST /v1/ingest/' }).first().waitFor()
    await page.locator('#main').getByLabel('Show', { exact: true }).selectOption('all')
    await settings.getByText('TILLGATE_DOCS').waitFor()
    assert.doesNotMatch(await page.locator('#main').innerText(), /postgres:\/\//)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('find any of more locations than are told at once, by name, and call them by it', async () => {
    const made = await Promise.all(Array.from({ length: 52 }, () => addLocation(pool)))
    // The session tells the first of them by id.
    const far = await addLocation(pool, `ffffffff-${crypto.randomUUID().slice(9)}`)
    await pool`update locations set without_devices = replace(without_devices, ${'"name":"'}, ${'"name":"Crêperie Zoé '}) where id = ${far}`
    await addKey(pool, far)
    const { context, page, findings } = await operator()
    const isAt = (id: string | undefined) => (url: URL) => url.searchParams.get('location') === id
    await goTo(page, site, `/ops/keys?all=yes&location=${location}`)
    await rows(page).filter({ hasText: 'Crêperie Zoé' }).first().waitFor()
    await page.getByTitle('Location').click()
    const choice = page.getByRole('dialog', { name: 'Location' })
    await choice.getByText('There are others').waitFor()
    await choice.getByRole('searchbox').fill('creperie zo')
    await choice.getByRole('button', { name: /^Crêperie Zoé/ }).click()
    await page.waitForURL(isAt(far))
    await page.getByTitle('Location').getByText('Crêperie Zoé').waitFor()
    // It goes along wherever one goes, also into another tab, and into an address that was kept without it.
    const at = (href: string | null) => new URL(href ?? '', page.url()).searchParams.get('location')
    for (const screen of ['/orders', '/ops/system']) {
      await goTo(page, site, screen)
      await page.waitForURL(isAt(far))
      const links = await page.locator('a[href*="/console/"]:not([href*="location="])').count()
      assert.equal(links, 0, screen)
    }
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

  test('verify the journal on the screen that shows its head, with what came of it in the address', async () => {
    const { context, page } = await operator()
    await goTo(page, site, `/integrity?location=${location}`)
    await page
      .getByRole('button', { name: /^Verify (now|what)/ })
      .first()
      .click()
    await page.waitForURL(/verification=/)
    const { sequence } = await site.get('/v1/journal/head')
    const [{ id }] = (await site.get('/v1/journal/verifications/')).data
    await eventually(
      async () => (await site.get(`/v1/journal/verifications/${id}`)).state === 'ok',
      'the verification ends',
    )
    await page.getByText(new Intl.NumberFormat('en-GB').format(sequence)).first().waitFor()
    await page.locator('#main progress').waitFor({ state: 'detached' })
    await context.close()
  })
})
