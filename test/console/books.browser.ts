import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'

const parts = await openConsole({ days: 5, ordersPerDay: 12 })

describe('the books of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  test('a bookkeeper gives names an account, issues what is due, and takes it away as a file', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    const main = page.locator('#main')
    await goTo(page, site, '/books?range=28d')
    await settled(page)
    // What the API says has no account has a field each.
    const until = new Date().toISOString().slice(0, 10)
    const since = new Date(Date.now() - 27 * 86_400_000).toISOString().slice(0, 10)
    const names = (await site.get(`/v1/books/unmapped/?since=${since}&until=${until}`)) as { name: string }[]
    assert.ok(names.length > 0, 'the restaurant has means that no default knows')
    for (const { name } of names) {
      await main.getByLabel(`Account for ${name}`).fill('467100')
      await main
        .locator('form', { hasText: `Account for ${name}` })
        .getByRole('button', { name: 'Save' })
        .click()
      await main.getByLabel(`Account for ${name}`).waitFor({ state: 'detached' })
    }
    await main.getByText('Every name has an account.').waitFor()
    const accounts = await site.get('/v1/books/accounts')
    assert.deepEqual(
      accounts.own.payments.map((row: { name: string }) => row.name).toSorted(),
      names.map(({ name }) => name).toSorted(),
    )
    // One Z: its entry, line by line, is that of the API.
    const { data } = await site.get(`/v1/books/entries/?since=${since}&until=${until}`)
    const [entry] = data
    await main
      .getByRole('link', { name: `Entry of ${entry.pieceRef}`, exact: true })
      .first()
      .click()
    const lines = main.getByRole('region', { name: `Entry ${entry.pieceRef}` })
    await lines.first().waitFor()
    assert.equal(await lines.first().locator('tbody [data-row]').count(), entry.lines.length)
    await main.getByLabel('Leave out what cannot be booked').check()
    await main.getByRole('button', { name: /^Issue up to/ }).click()
    await main.getByText(/Batch 1 was issued with \d+ entries/).waitFor()
    const download = page.waitForEvent('download')
    await main.getByRole('button', { name: 'Batch 1 as FEC' }).click()
    const file = await download
    assert.match(file.suggestedFilename(), /^\d{9}FEC\d{8}\.txt$/)
    const text = readFileSync(await file.path(), 'latin1')
    const batch = await site.get('/v1/books/batches/1')
    const written = batch.entries.reduce((sum: number, one: { lines: unknown[] }) => sum + one.lines.length, 0)
    assert.equal(text.split('\r\n').length, written + 2)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
