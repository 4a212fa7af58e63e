import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { recordUpkeep } from '../../src/core/store/db/upkeep.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visitAsOperator } from '../support/console.ts'
import { linesOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 8 })

const screens = [
  '/ops',
  '/ops/tills',
  '/ops/rejected',
  '/ops/rejected?only=yes',
  '/ops/rejected?record=RECORD',
  '/ops/keys',
  '/ops/keys?tab=sessions',
  '/ops/keys?tab=audit',
  '/ops/system',
]

const rows = (page: Page) => page.locator('#main [data-row]')

describe('the operations of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const { pool, location } = site

  const operator = () => visitAsOperator(browser, site)

  /** Creates a refused record, a webhook that fails, a disabled webhook, a second location, keys and sessions. */
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

  test('show data on each screen, and no error', async () => {
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

  test('show first what needs attention, and link to where it is handled', async () => {
    const { disabled } = await prepared
    const { context, page } = await operator()
    await goTo(page, site, '/ops')
    const problems = page.getByRole('region', { name: 'Needs attention' })
    await problems.getByText('rejected records').waitFor()
    const link = problems.locator('[data-row]').filter({ hasText: 'webhook disabled' }).getByRole('link')
    await link.click()
    await page.waitForURL((url) => url.pathname.endsWith(`/webhooks/${disabled}`))
    await goTo(page, site, '/ops/rejected')
    await page.getByRole('link', { name: 'unknown_field' }).first().click()
    await page.getByRole('region', { name: 'Records' }).locator('[data-row]').first().getByRole('link').click()
    await page.getByRole('dialog').getByText('/data/color').first().waitFor()
    await context.close()
  })

  test('offer a dry run for a rejected record that was kept completely, and state if only its beginning was kept', async () => {
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
        await dialog.getByRole('button', { name: 'Copy as curl, to send a corrected one' }).count(),
        await dialog.getByText('Only the first 16 KiB of a long record').count(),
      ]
      assert.deepEqual(seen, [offers, notes], number)
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('open the record in the address, whatever the list next to it shows, and state if it no longer exists', async () => {
    const { record } = await prepared
    const { context, page, findings } = await operator()
    const dialog = page.getByRole('dialog', { name: 'Rejected record' })
    for (const query of ['code=wrong_type', 'only=yes', 'since=2030-01-01']) {
      await goTo(page, site, `/ops/rejected?record=${record}&${query}&location=${location}`)
      await dialog.getByText('/data/color').first().waitFor()
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.match(page.url(), /since=2030-01-01/)
    await goTo(page, site, `/ops/rejected?record=${crypto.randomUUID()}&location=${location}`)
    await dialog.getByText('This location has no such record, or no longer').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('open the location in the address, also of a bookmark, and state if it does not exist', async () => {
    await prepared
    const { context, page, findings } = await operator()
    const dialog = page.getByRole('dialog', { name: 'Edit the location' })
    const { name } = site.restaurant.location
    for (const screen of ['/ops', '/ops/locations']) {
      await goTo(page, site, `${screen}?dialog=edit&id=${location}&location=${location}`)
      await dialog.getByLabel('Name').waitFor()
      assert.equal(await dialog.getByLabel('Name').inputValue(), name)
    }
    await dialog.getByLabel('City').fill('Nantes')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await site.get('/v1/locations/own')).city, 'Nantes')
    await goTo(page, site, `/ops?dialog=edit&id=${crypto.randomUUID()}`)
    await dialog.getByText('location_not_found').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('delete rejected records older than a stated age, and nothing else', async () => {
    const { other } = await prepared
    const { key } = await addKey(pool, other, { scopes: ['ingest'] })
    const wrong = (n: number) => order({ ...orderOf(other, n), color: 'red' })
    await fetch(`${site.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
      body: linesOf([wrong(1), wrong(2), wrong(3)]),
    })
    await pool`update rejected_records set received_at = now() - interval '40 days' where location_id = ${other} and line < 3`
    const { context, page, findings } = await operator()
    await goTo(page, site, `/ops/rejected?only=yes&location=${other}`)
    const records = page.getByRole('region', { name: 'Records' }).locator('[data-row]')
    assert.equal(await records.count(), 3)
    await page.getByRole('button', { name: 'Delete old records' }).click()
    await page.getByRole('dialog').getByText('This cannot be undone.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await eventually(async () => (await records.count()) === 1, 'the old ones are gone')
    assert.match(await records.first().innerText(), /^.*\t3\t/)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('link each kind of problem to the screen that handles it', async () => {
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

  test('show each till with its last order, until when it is complete and its open orders', async () => {
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

  test('show the settings of the process and its requests, and no secret', async () => {
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

  test('verify the journal on the screen with its head, with the result in the address', async () => {
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
