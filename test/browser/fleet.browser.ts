import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { recordAct } from '../../src/core/store/accounts/access.ts'
import { addKey, addLocation } from '../support/app.ts'
import { atEnd } from '../support/database.ts'
import { goTo, noChromium, openConsole, visitAsOperator } from '../support/console.ts'
import { linesOf, locationOf, order, orderOf, productsOf } from '../support/records.ts'

const directory = await mkdtemp(join(tmpdir(), 'tillgate-fleet-'))
atEnd(() => rm(directory, { recursive: true, force: true }))

// Imitates the files of an embedded database: without `postgres/PG_VERSION`, the server would refuse pushes.
await mkdir(join(directory, 'postgres'))
await writeFile(join(directory, 'postgres', 'PG_VERSION'), '18\n')
const parts = await openConsole({ days: 2, ordersPerDay: 4, disk: { path: directory, reserveBytes: 0 } })

const main = (page: Page) => page.locator('#main')

/** The highest id, so that it is not among the first fifty. */
const last = 'ffffffff-ffff-4fff-bfff-fffffffffff1'

describe('an installation of 52 locations in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Creates 51 locations without problems and with recent sales, and a last one with rejected records. */
  const fleet = (async () => {
    const now = new Date().toISOString()
    const sell = async (location: string, city: string) => {
      const { key } = await addKey(site.pool, location)
      const sold = { createdAt: now, openedAt: now, closedAt: now, updatedAt: now }
      await site.push(
        [
          { type: 'location', data: locationOf(location, { name: 'Auberge des Artistes', city }) },
          { type: 'catalog.products', data: productsOf(1) },
          order(orderOf(location, 1, sold)),
        ],
        key,
      )
      return key
    }
    const another = await addLocation(site.pool)
    const anotherKey = await sell(another, 'Ville 0')
    for (let n = 1; n < 50; n += 1) await sell(await addLocation(site.pool), `Ville ${n}`)
    const key = await sell(await addLocation(site.pool, last), 'Zuydcoote')
    const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
    const broken = Array.from({ length: 6 }, (_, n) => order({ ...orderOf(last, n), total: 'douze' }))
    const reject = (records: readonly unknown[]) =>
      fetch(`${site.url}/v1/ingest/`, { method: 'POST', headers, body: linesOf(records) })
    // A rejection three days ago is not counted in the last 24 hours; a record of another location was rejected for a
    // different reason.
    await reject(broken.slice(0, 1))
    await fetch(`${site.url}/v1/ingest/`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': anotherKey },
      body: 'no JSON\n',
    })
    const before = new Date(Date.now() - 3 * dayMs)
    await site.pool`
      update rejected_records set received_at = ${before} where location_id = any(${[last, another]}::uuid[])`
    await reject(broken)
    const link = JSON.stringify({ role: 'owner', scopes: ['read'], name: 'Mme Quay' })
    const asJson = { ...headers, 'content-type': 'application/json' }
    await fetch(`${site.url}/v1/console/links`, { method: 'POST', headers: asJson, body: link })
    // More than one page of keys is newer than this one, which was revoked.
    const { id: by } = await addKey(site.pool, last, { revokedAt: before })
    const made = new Date('2025-01-01T00:00:00.000Z')
    await site.pool`update api_keys set name = 'Cabinet Le Goff', created_at = ${made} where id = ${by}`
    const rotated = { act: 'webhook.secret_rotated', by, subject: null, locationId: last, from: null }
    await recordAct(site.pool, last, rotated as never, new Date())
    await recordAct(
      site.pool,
      last,
      { act: 'webhook.secret_read', by: 'cli', subject: null, locationId: last, from: null } as never,
      new Date(),
    )
  })()

  test('shows the problem of the last location first, with its town; nothing is reported as healthy meanwhile', async () => {
    await fleet
    const { context, page, findings } = await visitAsOperator(browser, site)
    await goTo(page, site, '/ops')
    const row = main(page)
      .getByRole('region', { name: 'Needs attention' })
      .locator('[data-row]')
      .filter({ hasText: 'rejected' })
    assert.match(
      (await row.innerText()).replaceAll(/\s+/g, ' '),
      /rejected records · 6 Auberge des Artistes Zuydcoote ffffffff/,
    )
    assert.equal(await main(page).getByText('No problem was found').count(), 0)
    await row.getByRole('link').click()
    await page.waitForURL((url) => url.pathname.endsWith('/ops/rejected') && url.searchParams.get('only') === 'yes')
    const records = main(page).getByRole('table', { name: 'Records' }).locator('[data-row]')
    await records.nth(5).waitFor()
    assert.equal(await records.count(), 6)
    // The number in the list of locations leads to the same records.
    await goTo(page, site, '/ops')
    const all = main(page).getByRole('table', { name: 'Locations' }).locator('[data-row]')
    await main(page).getByLabel('Name, city or id').fill('zuydcoote')
    await page.keyboard.press('Enter')
    const place = all.filter({ hasText: 'Zuydcoote' })
    await place.waitFor()
    assert.equal(await all.count(), 1, 'the others are not looked for')
    await place.getByRole('link', { name: '6', exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('only') === 'yes')
    await records.nth(5).waitFor()
    assert.equal(await records.count(), 6)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('shows all of them unless one is selected: rejected records, keys, sessions with the town of their location, and manual changes', async () => {
    await fleet
    const { context, page, findings } = await visitAsOperator(browser, site)
    await goTo(page, site, '/ops/rejected')
    const groups = main(page).getByRole('table', { name: 'By reason' }).locator('[data-row]')
    // Names of locations are requested once the rows are shown.
    await groups.first().getByText('Auberge des Artistes').waitFor()
    assert.match((await groups.first().innerText()).replaceAll(/\s+/g, ' '), /Auberge des Artistes, Zuydcoote .* 7 /)
    assert.equal(await groups.count(), 2)
    // A code is one of a fixed set, in the list and in its file.
    await main(page).getByLabel('Code').fill('invalid_json')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('code') === 'invalid_json')
    await groups.first().getByText('Auberge des Artistes, Ville 0').waitFor()
    assert.equal(await groups.count(), 1)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      main(page)
        .getByRole('button', { name: /^CSV for programs/ })
        .click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
    assert.deepEqual([lines.length, lines[1]?.includes('invalid_json')], [2, true])
    await goTo(page, site, '/ops/rejected?code=missing_field')
    await main(page).getByText('No rejected record fits this filter').waitFor()
    await goTo(page, site, '/ops/keys')
    const keys = main(page).locator('[data-row]')
    assert.equal(await keys.count(), 50)
    await main(page).getByRole('button', { name: 'Older' }).click()
    await page.waitForURL((url) => url.searchParams.has('cursor'))
    // With fifty locations of the same name, the town distinguishes the one that a session sees.
    await goTo(page, site, '/ops/keys?tab=sessions')
    const session = main(page).locator('[data-row]').filter({ hasText: 'Mme Quay' })
    await session.getByText('Auberge des Artistes, Zuydcoote').waitFor()
    await goTo(page, site, '/ops/keys?tab=audit')
    const acts = main(page).locator('[data-row]')
    const texts = await acts.allInnerTexts()
    assert.ok(
      texts.some((text) => text.includes('Secret')),
      texts.join('|'),
    )
    await acts.filter({ hasText: 'Cabinet Le Goff' }).waitFor()
    // The location has one operation, with its changes.
    await goTo(page, site, `/ops/keys?tab=audit&only=yes&location=${last}`)
    const own = await acts.allInnerTexts()
    assert.ok(own.length < texts.length && own.some((text) => text.includes('Secret')), own.join('|'))
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('shows how full the disk is and how old the backups are', async () => {
    await fleet
    const { context, page, findings } = await visitAsOperator(browser, site)
    await goTo(page, site, '/ops/system')
    const fact = (name: string) => main(page).locator('dl div').filter({ hasText: name }).locator('dd')
    assert.equal(await fact('Oldest of the last valid backups').innerText(), 'none yet')
    assert.equal(await fact('Locations without a backup').innerText(), '52')
    await main(page).getByText('Not known yet: the disk must be observed for three days.').waitFor()
    // At this rate the free space lasts for nine and a half days; other programs on this disk may reduce this by a day.
    const { bavail, blocks, bsize } = await statfs(directory)
    const sample = (day: number) =>
      `${new Date(Date.now() - day * dayMs).toISOString()} ${Math.round(bavail * bsize * (1 + day / 9.5))} ${blocks * bsize}\n`
    await writeFile(join(directory, 'postgres.disk'), [6, 5, 4, 3, 2, 1].map(sample).join(''))
    await goTo(page, site, '/ops/system')
    assert.match(await fact('Trend').innerText(), /^[\d.,]+ [MG]B less each day$/)
    assert.match(await fact('Until pushes are refused').innerText(), /^(8|9) days$/)
    await goTo(page, site, '/ops')
    await main(page)
      .getByText(
        /^The disk is filling up: at the current rate, pushes will be refused in (8|9) days\.|^Only .+ of the disk is free/,
      )
      .waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })
})
