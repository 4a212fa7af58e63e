import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { report, reportOf } from '../support/records.ts'

const parts = await openConsole({ ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')

describe('verifiable data in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const sold = site.sellOn()
  const lastReport = (async () => {
    await sold
    return (await site.get('/v1/reports/?size=1&sort=-createdAt')).data[0]
  })()

  test('missing numbers between two Z reports of one till are a separate row', async () => {
    const { reportNumber, deviceName } = await lastReport
    const now = new Date().toISOString()
    const times = { createdAt: now, updatedAt: now, startedAt: now, finalizedAt: now, orders: [] }
    const zOf = (n: number, till: string) =>
      report(reportOf(site.location, 700 + n, { ...times, deviceName: till, reportNumber: reportNumber + n }))
    await site.push([zOf(3, deviceName), zOf(9, 'Another till')])
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/z')
    const rows = (await main(page).locator('[data-row]').allInnerTexts()).map((text) => text.split('\t')[0]?.trim())
    const gap = rows.indexOf(`Z ${reportNumber + 1} to ${reportNumber + 2} are missing`)
    assert.ok(gap > rows.indexOf(`Z ${reportNumber + 3}`) && gap < rows.indexOf(`Z ${reportNumber}`), rows.join(' | '))
    assert.equal(rows.filter((text) => text?.includes('missing')).length, 1, 'each till has its own numbers')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a Z shows which payments count as cash, and recalculates the drawer for a different selection', async () => {
    const { id } = await lastReport
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/z/${id}`)
    const expected = () =>
      main(page)
        .locator('dl > div')
        .filter({ has: page.getByRole('term').getByText('Expected', { exact: true }) })
        .locator('dd')
        .innerText()
    const computed = async (cash: string) => {
      const { figures } = await site.get(`/v1/reports/${id}/reconciliation${cash}`)
      const euros = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })
      return euros.format(figures.find(({ figure }: { figure: string }) => figure === 'cash').computed / 100)
    }
    const usual = await computed('')
    const named = await computed('?cash=nothing')
    assert.notEqual(usual, named)
    assert.equal(await expected(), usual)
    await main(page).getByLabel('Cash payments').fill('nothing')
    await page.keyboard.press('Enter')
    await page.waitForURL(/cash=nothing/)
    await settled(page)
    assert.equal(await expected(), named)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the certificate of the head is copied as a letter with the sequence and the hash, and prints alone', async () => {
    await sold
    const { context, page, findings } = await visitAs(browser, site)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await goTo(page, site, '/integrity')
    const { sequence, hash } = await site.get('/v1/journal/head')
    const groups = (hash as string).match(/.{4}/g) ?? []
    assert.equal(groups.length, 16)
    await main(page)
      .getByText(groups[0] as string, { exact: true })
      .waitFor()
    await main(page).getByRole('button', { name: 'Copy as a letter' }).click()
    await main(page).getByRole('button', { name: 'Copied' }).waitFor()
    const letter = await page.evaluate<string>('navigator.clipboard.readText()')
    const number = new Intl.NumberFormat('en-GB').format(sequence)
    assert.ok(letter.includes(`number ${number}`) && letter.includes(groups.join(' ')), letter)
    await page.emulateMedia({ media: 'print' })
    assert.ok(
      await main(page)
        .getByText(groups[15] as string, { exact: true })
        .isVisible(),
    )
    for (const name of ['Verify now', 'Orders (NDJSON)', 'Print'])
      assert.equal(await main(page).getByRole('button', { name }).isVisible(), false, name)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the files for the accountant contain the selected days: sales as a table, orders as they are stored', async () => {
    await sold
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/integrity?range=7d')
    const fileOf = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    const orders = await fileOf('Orders (NDJSON)')
    assert.match(orders.name, /^orders-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.ndjson$/)
    const lines = orders.text.trimEnd().split('\n')
    assert.ok(lines.length > 10)
    for (const line of [lines[0] as string, lines.at(-1) as string]) {
      const { id } = JSON.parse(line) as { id: string }
      const stored = await fetch(`${site.url}/v1/orders/${id}`, { headers: { 'x-api-key': site.key } })
      assert.equal(line, await stored.text(), 'as it is stored')
    }
    const sales = await fileOf('CSV for programs: sales')
    const [since, until] = sales.name.match(/\d{4}-\d\d-\d\d/g) ?? []
    const days = (await site.get(`/v1/sales/?by=day&since=${since}&until=${until}`)).data
    assert.ok(days.length > 0)
    const [head = '', ...rows] = sales.text.trimEnd().split(/\r?\n/)
    const column = head.split(',').indexOf('Sales incl. tax')
    assert.deepEqual(
      rows.map((row) => [row.split(',')[0], Math.round(Number(row.split(',')[column]) * 100)]),
      days.map(({ period, salesInclTax }: any) => [period, salesInclTax]),
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('searching for a Z number, an event or a product leads directly to it', async () => {
    const { reportNumber, id } = await lastReport
    const { sequence } = await site.get('/v1/journal/head')
    const [event] = (await site.get(`/v1/events/?after=${sequence - 20}`)).data
    const [product] = await site.get('/v1/catalog/')
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/today')
    // Enter immediately, before there are results.
    const search = async (text: string) => {
      await page.keyboard.press('ControlOrMeta+k')
      const dialog = page.getByRole('dialog', { name: 'Search' })
      await dialog.getByRole('searchbox').fill(text)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await settled(page)
    }
    await search(id)
    await page.getByRole('heading', { name: `Z ${reportNumber}`, exact: true }).waitFor()
    await search(event.id)
    await page.getByRole('dialog', { name: 'Journal entry' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('entry'), String(event.sequence))
    await page.keyboard.press('Escape')
    await search(product.name)
    assert.match(page.url(), new RegExp(`/catalog/products\\?find=${product.id}`))
    assert.equal(await main(page).locator('[data-row]').count(), 1)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
