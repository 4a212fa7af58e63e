import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, visitAsOperator } from '../support/console.ts'
import { atEnd } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { FakeSquare } from '../modules/sources/fake-square.ts'
import { startFake, VirtualClock } from '../modules/sources/faults.ts'

const token = 'the-token-of-the-console'
process.env['SOURCE_CONSOLE'] = token

const clock = new VirtualClock(new Date(Date.now() - 2 * 86_400_000).toISOString())
const shop = new FakeSquare(21, clock, 'EUR')
for (let i = 0; i < 40; i++) {
  clock.advance(60 * 60_000)
  shop.act()
}
shop.settle()
clock.ms = Date.now()
const fake = await startFake(shop, { seed: 21, clock })
fake.calm()
fake.token = token
atEnd(() => fake.close())
const parts = await openConsole({ days: 2, ordersPerDay: 4, settings: { sourceUrls: fake.url } })

const picture = (name: string) => `${process.env['TILLGATE_PICTURES'] ?? ''}/${name}.png`
const isPictured = process.env['TILLGATE_PICTURES'] !== undefined

describe('the sources of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const { pool, location } = site

  test('are added in steps: choose a source, compare yesterday with the till’s own total, store', async () => {
    const { context, page, findings } = await visitAsOperator(browser, site)
    await goTo(page, site, `/ops/sources?location=${location}`)
    await page.getByRole('button', { name: 'New source' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Account').fill(shop.account)
    await dialog.getByLabel('Where its secret is').fill('file:/etc/passwd')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.match(await dialog.getByRole('alert').innerText(), /env:SOURCE_… or file:\/run\/secrets\/tillgate\/…/)
    await dialog.getByLabel('Where its secret is').fill('env:SOURCE_CONSOLE')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Nothing is stored yet.', { exact: false }).waitFor()
    await pool`update sources set base_url = ${fake.url} where location_id = ${location}`
    await page.getByRole('button', { name: 'Check yesterday' }).click()
    await page.getByText('Both are equal.').waitFor()
    if (isPictured) await page.screenshot({ path: picture('first'), fullPage: true })
    const ofSquare = async () =>
      (await pool<{ document: string }[]>`select document from orders where location_id = ${location}`).filter(
        ({ document }) => document.includes('"source":"square"'),
      ).length
    assert.equal(await ofSquare(), 0, 'nothing is stored before somebody says so')
    await page.getByRole('button', { name: 'Store from now on' }).click()
    await page.getByText('It is read continuously.').waitFor()
    const sold = shop.state().filter(({ location_id }) => location_id === shop.account).length
    await eventually(async () => (await ofSquare()) === sold, 'the sales are stored')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('show the state of a source, its days, its rejections with the document, and offer actions', async () => {
    const other = await addLocation(pool, undefined, { currency: 'GBP' })
    const [id, rejected] = [randomUUID(), randomUUID()]
    const at = new Date()
    await pool`
      insert into sources (location_id, id, adapter, account, secret, profile, every_seconds, state, created_at, reads_from,
        stored_from, failures, failing_since, due_at, last_error, accepted)
      values (${other}, ${id}, 'toast', 'rest-9', 'env:SOURCE_CONSOLE', '{}', 300, 'active', ${at}, ${at}, ${at}, 2, ${at},
        ${new Date(at.getTime() + 3_600_000)}, 'The endpoint answered 503 Service Unavailable.', 12)`
    await pool`
      insert into rejected_records (location_id, id, received_at, line, code, detail, errors, record)
      values (${other}, ${rejected}, ${at}, 1, 'ticket_differs', 'said.total is 26.50', '[]', '{"guid":"order-raw-17"}')`
    await pool`
      insert into source_notices (location_id, source_id, key, kind, reason, at, rejected_id, tries, due_at)
      values (${other}, ${id}, 'order-17', 'refused', 'said.total is 26.50', ${at}, ${rejected}, 3, ${at})`
    const day = new Date(at.getTime() - 2 * 86_400_000).toISOString().slice(0, 10)
    await pool`
      insert into source_days (location_id, source_id, day, here, there, compared_at)
      values (${other}, ${id}, ${day}, 10000, 12050, ${at})`
    const { context, page, findings } = await visitAsOperator(browser, site)
    await goTo(page, site, '/ops/sources')
    await page.getByRole('link', { name: 'Toast' }).click()
    await page.getByText('The last run failed. Next attempt:', { exact: false }).waitFor()
    await page.getByText('The endpoint answered 503 Service Unavailable.').waitFor()
    await page.getByText('-£20.50').waitFor()
    if (isPictured) await page.screenshot({ path: picture('failing'), fullPage: true })
    await page.getByRole('link', { name: 'Show it' }).click()
    await page.getByText('order-raw-17', { exact: false }).first().waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Try again now' }).click()
    await eventually(async () => {
      const [row] = await pool<{ at: Date | null }[]>`
        select due_at as at from source_notices where source_id = ${id} and location_id = ${other}`
      return row?.at !== null
    }, 'what was refused is read again')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('It is not read until it is resumed.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'New source' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Toast' }).count(), 0)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('are in French for a French reader', async () => {
    const { context, page, findings } = await visitAsOperator(browser, site, { locale: 'fr-FR' })
    await goTo(page, site, '/ops/sources')
    await page.getByRole('link', { name: 'Square' }).click()
    await page.getByText('Elle est lue en continu.').waitFor()
    await page.getByRole('heading', { name: 'Les 14 dernières journées' }).waitFor()
    if (isPictured) await page.screenshot({ path: picture('french'), fullPage: true })
    assert.deepEqual(findings, [])
    await context.close()
  })
})
