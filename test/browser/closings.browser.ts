import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { createKeyFile } from '../../src/modules/proofs/projections/signing-key.ts'
import { addKey, addLocation } from '../support/app.ts'
import { soldOn } from '../support/books-site.ts'
import { goTo, noChromium, openConsole, visit, visitAs, visitAsOperator } from '../support/console.ts'
import { violationsOf } from '../support/console-looks.ts'
import { atEnd } from '../support/database.ts'
import { order } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const directory = await mkdtemp(join(tmpdir(), 'tillgate-closings-'))
atEnd(() => rm(directory, { recursive: true, force: true }))
const checkpointKey = join(directory, 'key.pem')
createKeyFile(checkpointKey)

const parts = await openConsole({ days: 1, ordersPerDay: 4, settings: { checkpointKey } })

const main = (page: Page) => page.locator('#main')
const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe('closings in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  async function restaurant() {
    const location = await addLocation(site.pool)
    const { key } = await addKey(site.pool, location)
    const sold = (day: number, n: number) => order(soldOn({ id: location, key }, day, n))
    return { location, key, at: { ...site, key, location }, sold }
  }

  const rowsOf = (page: Page) => main(page).getByRole('table', { name: 'Days', exact: true }).locator('[data-row]')
  const textsOf = async (page: Page) => (await rowsOf(page).allInnerTexts()).map(flat)

  test('are started by an accountant, with all sales until then; an owner reads who starts them, and no command', async () => {
    const { location, key, at, sold } = await restaurant()
    // Five orders of 11.00 with 1.00 of tax.
    await site.push([sold(2, 1), sold(2, 2), sold(2, 3), sold(3, 1), sold(3, 2)], key)
    const body = JSON.stringify({ role: 'owner', name: 'Mme Petit' })
    const json = { 'x-api-key': key, 'content-type': 'application/json' }
    const link = (await (
      await fetch(`${site.url}/v1/console/links`, { method: 'POST', headers: json, body })
    ).json()) as any
    const owner = await visit(browser, at)
    await owner.page.goto(link.url)
    await owner.page.getByRole('button', { name: 'Sign in' }).click()
    await owner.page.getByRole('heading', { name: 'Today' }).waitFor()
    await goTo(owner.page, at, '/closings')
    await main(owner.page).getByText('An accountant makes the first closing').waitFor()
    await main(owner.page).getByText('Ask the operator to sign the journal.').waitFor()
    assert.equal(await main(owner.page).locator('button, pre').count(), 0)
    await owner.context.close()
    const operator = await visitAsOperator(browser, site)
    await goTo(operator.page, at, `/closings?location=${location}`)
    await main(operator.page).getByText('tillgate checkpoint key').waitFor()
    await operator.context.close()
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/closings')
    await main(page).getByText('The journal has not been signed yet').waitFor()
    await main(page)
      .getByRole('button', { name: /^Close up to .* …$/ })
      .click()
    // The orders are counted and added up before anybody confirms; opening the screen closes nothing.
    await main(page)
      .getByText(/^5 orders, .*, €55\.00\. A closing cannot be changed or withdrawn\.$/)
      .waitFor()
    const closings = await fetch(`${site.url}/v1/closings/`, { headers: { 'x-api-key': key } })
    assert.equal(((await closings.json()) as any).meta.totalCount, 0)
    await main(page)
      .getByRole('button', { name: /^Close up to .*[^…]$/ })
      .click()
    await rowsOf(page).first().waitFor()
    assert.match((await textsOf(page)).join('\n'), /^1 .+ €55\.00 €5\.00 €55\.00 (in)?complete /)
    await context.close()
    assert.deepEqual(findings, [])
  })

  test('are shown with their perpetual totals and exported; the last checkpoint is shown with how to verify it', async () => {
    const { key, at, sold } = await restaurant()
    await site.push([sold(2, 1), sold(2, 2), sold(2, 3), sold(3, 1), sold(3, 2)], key)
    const close = async (daysAgo: number, after: number) => {
      const until = new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10)
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const body = JSON.stringify({ until, after })
      await fetch(`${site.url}/v1/closings/`, { method: 'POST', headers, body })
    }
    await close(4, 0)
    // One more order arrives late: the first closing does not change, and the perpetual total includes both.
    await site.push([sold(3, 3)], key)
    // The server also closes automatically: one of the two succeeds.
    await close(2, 1)
    const listed = async () =>
      (await (await fetch(`${site.url}/v1/closings/`, { headers: { 'x-api-key': key } })).json()) as any
    await eventually(async () => (await listed()).meta.totalCount === 2, 'the second closing')
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/closings?number=2')
    const [second, first] = await textsOf(page)
    assert.match(second ?? '', /^2 .+ €11\.00 €1\.00 €66\.00 /)
    assert.match(first ?? '', /^1 .+ €55\.00 €5\.00 €55\.00 /)
    const fact = (name: string) => main(page).locator('dl div').filter({ hasText: name }).locator('dd').first()
    assert.equal(flat(await fact('Perpetual total').innerText()), '€66.00 · 6 orders')
    assert.equal(flat(await fact('Perpetual tax').innerText()), '€6.00')
    const days = main(page).getByRole('table', { name: 'Business days of the closing' }).locator('[data-row]')
    assert.deepEqual((await days.allInnerTexts()).map(flat), ['3 Mar 2026 €11.00 €1.00'])
    const fileOf = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        main(page).getByRole('button', { name }).click(),
      ])
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    const ask = async (path: string) => (await fetch(`${site.url}${path}`, { headers: { 'x-api-key': key } })).text()
    const file = await fileOf('Download as JSON')
    assert.equal(file.name, 'closing-day-2.json')
    assert.equal(file.text, await ask('/v1/closings/day/2'), 'the bytes of the journal')
    const note = await fileOf('Save the checkpoint')
    // The server may sign once more after the screen was read.
    const { data: notes } = JSON.parse(await ask('/v1/checkpoints/?size=100'))
    assert.ok(notes.some((one: { note: string }) => one.note === note.text))
    const { data: keys } = JSON.parse(await ask('/v1/checkpoints/keys'))
    await main(page).getByText(keys[0].key).waitFor()
    assert.ok((await ask('/docs/verify')).includes('verify'))
    assert.match(
      (await main(page)
        .getByRole('link', { name: /^Verification page/ })
        .getAttribute('href')) ?? '',
      /\/docs\/verify$/,
    )
    assert.deepEqual(await violationsOf(page), [])
    // The day has its closing with two orders of 11.00; the third arrived later.
    await goTo(page, at, '/days?day=2026-03-03')
    const closing = main(page).locator('section').filter({ hasText: 'Closing and signature' })
    const factOfDay = async (name: string) =>
      flat(await closing.locator('dl div').filter({ hasText: name }).locator('dd').innerText())
    assert.equal(await factOfDay('Number'), '1')
    assert.equal(await factOfDay('Sales incl. tax'), '€22.00')
    assert.equal(await factOfDay('Changed since the closing'), '+€11.00')
    assert.equal(await factOfDay('Perpetual total'), '€55.00')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      closing.getByRole('button', { name: 'Save the checkpoint' }).click(),
    ])
    const saved = await readFile(await download.path(), 'utf8')
    const { data: signed } = JSON.parse(await ask('/v1/checkpoints/?size=100'))
    const { toSequence } = JSON.parse(await ask('/v1/closings/day/1'))
    // The earliest checkpoint that covers the closing was saved; the list has the newest first.
    const earliest = signed.filter(({ sequence }: any) => sequence >= toSequence).at(-1)
    assert.equal(saved, earliest.note)
    assert.ok(signed.length > 1, 'there is a later one')
    assert.deepEqual(await violationsOf(page), [])
    assert.deepEqual(findings, [])
    await context.close()
  })
})
