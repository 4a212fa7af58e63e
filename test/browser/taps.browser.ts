import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { roleScopes, sessionTimes, type Role } from '../../src/modules/console/schemas/console.ts'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import { addKey, addLocation } from '../support/app.ts'
import { dish } from '../support/books-site.ts'
import { noChromium, openConsole, settled, visit } from '../support/console.ts'
import { idOf, itemOf, locationOf, order, orderOf, report } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'
import { soundOrder, zReportOf } from '../support/z-reports.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')
const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/**
 * How many taps each task took before, the sign-in not counted: an owner with a telephone chose All restaurants, and then who took money
 * off; a bookkeeper went to the month, and issued it with three accounts; an integrator registered a webhook and read its first failure.
 */
const before = { owner: 4, bookkeeper: 7, integrator: 3, operator: 1 }

describe('the tasks of each role', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts

  /** Signs in by a link of a role, and counts every tap from then on. */
  async function enter(role: Role, locationIds: string[] | null, width = 1280) {
    const kind = role === 'operator' ? 'operator' : 'link'
    const scopes = [...roleScopes[role], ...(role === 'operator' ? ['admin'] : [])]
    const who = { kind, role, name: role, scopes, locationIds, recipientId: null, keyId: null, madeBy: 'cli' }
    const times = role === 'operator' ? sessionTimes.operator : sessionTimes.owner
    const grant = { ...who, returnUrl: null, ...times }
    const { code } = await createConsoleLink(site.pool, grant as never, new Date())
    const visitor = await visit(browser, site, { viewport: { width, height: 844 } })
    const { page, context } = visitor
    let taps = 0
    await context.exposeFunction('countTap', () => void (taps += 1))
    await context.addInitScript("addEventListener('pointerdown', () => countTap(), true)")
    await page.goto(`${site.url}/console/#code=${code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await main(page).locator('h1').waitFor()
    await settled(page)
    taps = 0
    return { ...visitor, tapsOf: () => taps }
  }

  async function restaurant(name: string, records: (id: string) => unknown[]) {
    const id = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
    const { key } = await addKey(site.pool, id)
    await site.push([{ type: 'location', data: locationOf(id, { name }) }, ...records(id)], key)
    return { id, key }
  }

  /** An order of so much that was closed at a moment. */
  const soldAt = (id: string, n: number, total: number, at: string, changes: object = {}) => {
    const item = itemOf(1, { total, unitPrice: total, quantity: 1, discountsApplied: [] })
    const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
    return order(soundOrder({ ...orderOf(id, n, times), items: [item], menus: [], ...changes }))
  }

  test('an owner with a telephone sees all restaurants, one beside the same weekday before, and who took money off', async () => {
    const now = new Date().toISOString()
    const weekAgo = new Date(Date.now() - 7 * dayMs - 60_000).toISOString()
    const first = await restaurant('Chez Une', (id) => [
      soldAt(id, 1, 40, now),
      soldAt(id, 2, 80, weekAgo),
      order({
        ...orderOf(id, 3, { createdAt: now, openedAt: now, closedAt: now, updatedAt: now, menus: [] }),
        items: [itemOf(1, { total: 12.5, unitPrice: 12.5, quantity: 1, discountsApplied: [] })],
        isCanceled: true,
        total: 0,
        operatorName: 'Alix',
      }),
    ])
    const second = await restaurant('Chez Deux', (id) => [soldAt(id, 1, 60, now)])
    const { context, page, findings, tapsOf } = await enter('owner', [first.id, second.id], 390)
    // All of them: 40.00 and 60.00, without a tap.
    await main(page).getByText('€100.00').first().waitFor()
    assert.equal(tapsOf(), 0)
    await main(page).getByRole('link', { name: 'Chez Une' }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/today'))
    await settled(page)
    await main(page).getByText('€40.00').first().waitFor()
    // Canceled: 12.50, of Alix.
    await main(page).getByRole('link', { name: 'Canceled, lost and taken off: €12.50' }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/deductions'))
    await settled(page)
    const row = main(page).getByRole('table', { name: 'By operator' }).locator('[data-row]')
    assert.match(flat(await row.innerText()), /Alix .*€12\.50 \(1\)/)
    assert.ok(tapsOf() < before.owner, `${tapsOf()} taps`)
    assert.equal(tapsOf(), 2)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a bookkeeper reads the month, gives three accounts, issues it and has the file', async () => {
    const lastMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 10))
    const day = lastMonth.toISOString().slice(0, 10)
    const means = ['Livréo', 'Plateforme', 'Chèque bleu']
    const made = await restaurant('Chez Compte', (id) => {
      const at = `${day}T12:00:00.000Z`
      const orders = means.map((paymentName, n) =>
        soundOrder({
          ...orderOf(id, 10 + n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }),
          items: [dish(1, 11, 1)],
          menus: [],
          reportId: idOf('report', 1),
          payments: [{ paymentName, paymentCatalogId: idOf('payment', 10 + n), paymentAmount: 11 }],
        }),
      )
      const z = { deviceName: 'Caisse 1', createdAt: at, finalizedAt: `${day}T22:00:00.000Z`, reportNumber: 1 }
      return [...orders.map(order), report(zReportOf(id, 1, orders, z))]
    })
    const ask = async (path: string) =>
      (await fetch(`${site.url}${path}`, { headers: { 'x-api-key': made.key } })).json() as any
    await eventually(
      async () => (await ask(`/v1/books/days/?since=${day}&until=${day}`)).data?.[0]?.state === 'ready',
      'the day is read',
    )
    const { context, page, findings, tapsOf } = await enter('accountant', [made.id])
    // The last month, without a tap: three dishes of 11.00 with 1.00 of VAT.
    const taxes = main(page).getByRole('table', { name: 'VAT by rate' }).locator('tfoot')
    assert.match(flat(await taxes.innerText()), /€30\.00 €3\.00 €33\.00$/)
    assert.equal(tapsOf(), 0)
    for (const [n, name] of means.entries()) {
      const field = main(page).getByLabel(`Account for ${name}`)
      await field.focus()
      await field.fill(`46710${n}`)
      await page.keyboard.press('Enter')
      await field.waitFor({ state: 'detached' })
    }
    await main(page)
      .getByRole('button', { name: /^Issue up to/ })
      .click()
    await main(page)
      .getByText(/^1 entry, .*€33\.00 in debit and credit/)
      .waitFor()
    await main(page).getByRole('button', { name: 'Issue 1 entry' }).click()
    await main(page).getByText('Batch 1 was issued with 1 entry.').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      main(page).getByRole('button', { name: 'Batch 1 as FEC' }).click(),
    ])
    assert.match(file.suggestedFilename(), /FEC/)
    assert.ok(tapsOf() < before.bookkeeper, `${tapsOf()} taps`)
    assert.equal(tapsOf(), 3)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('an integrator registers a webhook and reads why its first delivery failed', async () => {
    receiver.answer('/taps', () => ({ status: 500, body: '{"error":"no such table: orders"}' }))
    const made = await restaurant('Chez Crochet', () => [])
    const { context, page, findings, tapsOf } = await enter('integrator', [made.id])
    await main(page).getByRole('button', { name: 'New webhook' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'URL' }).fill(receiver.url('/taps'))
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/made=yes/)
    await site.push([soldAt(made.id, 1, 10, new Date().toISOString())], made.key)
    await page
      .getByLabel('Failures by cause')
      .getByText(/http 500/)
      .waitFor()
    assert.ok(tapsOf() < before.integrator, `${tapsOf()} taps`)
    assert.equal(tapsOf(), 2)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('an operator sees what is wrong anywhere and what each location sold', async () => {
    const made = await restaurant('Chez Faute', (id) => [soldAt(id, 1, 70, new Date().toISOString())])
    await fetch(`${site.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': made.key, 'content-type': 'application/x-ndjson' },
      body: '{"type":"order","data":{}}\n',
    })
    const { context, page, findings, tapsOf } = await enter('operator', null)
    const troubles = main(page).getByRole('region', { name: 'Needs attention' }).locator('[data-row]')
    await troubles.filter({ hasText: 'Chez Faute' }).filter({ hasText: 'rejected records · 1' }).waitFor()
    const row = main(page)
      .getByRole('table', { name: 'Locations' })
      .locator('[data-row]')
      .filter({ hasText: 'Chez Faute' })
    await row.getByText('€70.00').waitFor()
    assert.ok(tapsOf() < before.operator, `${tapsOf()} taps`)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
