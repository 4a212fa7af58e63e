import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Order } from '../../src/core/contract/orders/schema.ts'
import type { Report } from '../../src/core/contract/reports/schema.ts'
import { addKey, addLocation } from '../support/app.ts'
import { card, soldOn, zOn } from '../support/books-site.ts'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { violationsOf } from '../support/console-looks.ts'
import { order, report } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe('the books of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /**
   * Creates a restaurant in March 2026. Each order is a dish of 11.00 including 1.00 of tax, paid by card unless stated
   * otherwise. The 2nd is correct. On the 3rd, the Z is 10.00 higher than its orders. On the 4th, the Z names an order
   * that has not arrived. On the 5th, one order was paid through a platform that has no account.
   */
  async function restaurant() {
    const id = await addLocation(site.pool)
    const { key } = await addKey(site.pool, id)
    const at = { ...site, key, location: id }
    const sold = (day: number, n: number, changes: Partial<Order> = {}) =>
      soldOn({ id, key }, day, n, { orderNumber: `M${day}-${n}`, ...changes })
    const z = (day: number, orders: Order[], changes: Partial<Report> = {}) =>
      report(zOn({ id, key }, day, orders, { reportNumber: day, ...changes }))
    const late = sold(4, 2)
    const platform = sold(5, 1, { payments: [{ ...card, paymentName: 'Livréo', paymentAmount: 11 }] })
    const days: [number, Order[], Order[], Partial<Report>][] = [
      [2, [sold(2, 1), sold(2, 2)], [], {}],
      [3, [sold(3, 1)], [], { totalSales: 2100 }],
      [4, [sold(4, 1)], [late], {}],
      [5, [platform], [], {}],
    ]
    for (const [day, orders, missing, changes] of days)
      await site.push([...orders.map(order), z(day, [...orders, ...missing], changes)], key)
    const ask = async (path: string) =>
      (await fetch(`${site.url}${path}`, { headers: { 'x-api-key': key } })).json() as any
    const statesOf = async () => {
      const { data } = await ask('/v1/books/days/?since=2026-03-02&until=2026-03-06')
      return data?.map(({ state }: { state: string | null }) => String(state)).join(' ')
    }
    await eventually(async () => (await statesOf()) === 'ready refused waiting ready null', 'the days are read').catch(
      async () => assert.fail(await statesOf()),
    )
    return { at, key, late, ask }
  }

  /** Finds the cell of a day of March, by its name for screen readers. */
  const cellOf = (page: Page, name: string) =>
    main(page)
      .getByRole('region', { name: /^(mars|March) 2026$/ })
      .getByRole('link', { name: new RegExp(`^${name}`) })

  /** Resolves to the content of the cell of a day, below the date. */
  const textOf = async (page: Page, name: string) => flat(await cellOf(page, name).innerText()).replace(/^.* 2026 /, '')

  test('an accountant who opens the console in French exports March to a file', async () => {
    const { at, key, late, ask } = await restaurant()
    const { context, page, findings } = await visitAs(browser, at, { locale: 'fr-FR' })
    await goTo(page, at, '/today')
    await page.getByRole('link', { name: 'Mois', exact: true }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/month'))
    await goTo(page, at, '/month?month=2026-05')
    for (const month of ['avril 2026', 'mars 2026']) {
      await main(page).getByRole('link', { name: month }).click()
      await main(page).getByText(month, { exact: true }).first().waitFor()
    }
    await settled(page)
    // The state of each day and its Z, with the sales.
    assert.equal(await textOf(page, 'lundi 2 mars 2026'), 'prêt 22,00 € Z2')
    assert.equal(await textOf(page, 'mardi 3 mars 2026'), 'non comptabilisable 21,00 € Z3')
    assert.equal(await textOf(page, 'mercredi 4 mars 2026'), 'incomplet 22,00 € Z4')
    // A payment name of the 5th has no account, so the button is disabled.
    assert.equal(await textOf(page, 'jeudi 5 mars 2026'), 'compte manquant 11,00 € Z5')
    assert.equal(await textOf(page, 'vendredi 6 mars 2026'), 'sans vente')
    assert.deepEqual(await violationsOf(page), [])
    // The panel states why a day cannot be booked, with links to the Z and to its orders.
    await cellOf(page, 'mardi 3 mars').click()
    await main(page).getByRole('heading', { name: 'Z du mardi 3 mars 2026' }).waitFor()
    await settled(page)
    const standing = main(page).getByRole('table', { name: 'Z et jours' }).locator('[data-row]')
    assert.equal(await standing.count(), 1)
    assert.match(flat(await standing.innerText()), /ses ventes diffèrent de celles de ses commandes \(\+10,00 €\) M3-1/)
    await standing.getByRole('link', { name: 'ses ventes diffèrent de celles de ses commandes' }).click()
    await page.getByRole('heading', { name: 'Z 3', exact: true }).waitFor()
    await page.goBack()
    await standing.getByRole('link', { name: 'M3-1' }).first().click()
    await page.getByRole('heading', { name: 'Commande M3-1' }).waitFor()
    await page.goBack()
    await main(page).getByRole('link', { name: 'Tout le mois' }).click()
    // At first one name has no account, then all names have one.
    await main(page).getByLabel('Compte pour Livréo').fill('467100')
    await main(page)
      .locator('form', { hasText: 'Compte pour Livréo' })
      .getByRole('button', { name: 'Enregistrer', exact: true })
      .click()
    await main(page).getByText('Chaque nom a un compte dans ce qui est comptabilisable.').waitFor()
    // The 3rd is refused and the 4th is incomplete: the payment names of these days were not checked.
    await main(page)
      .getByText(/^2\sZ et jours ne sont pas encore comptabilisables\s: .*Leurs noms seront vérifiés ensuite\.$/)
      .waitFor()
    await cellOf(page, 'jeudi 5 mars').filter({ hasText: 'prêt' }).waitFor()
    // The missing order arrives, and its day becomes ready while the screen is open.
    await site.push([order(late)], key)
    await cellOf(page, 'mercredi 4 mars').filter({ hasText: 'prêt' }).waitFor()
    await main(page)
      .getByRole('button', { name: /^Émettre jusqu’au/ })
      .click()
    await main(page).getByText('Une partie de la période ne peut pas être comptabilisée').waitFor()
    await main(page).getByRole('link', { name: 'Z3 · mardi 3 mars 2026' }).waitFor()
    await main(page).getByLabel('Laisser de côté ce qui ne peut pas être comptabilisé').check()
    // Irreversible changes are counted and added up before anybody confirms: 22.00, 22.00 and 11.00.
    await main(page).getByRole('button', { name: 'Émettre jusqu’au 31 mars 2026 …' }).click()
    await main(page)
      .getByText(/^3 écritures, .*mars.*, 55,00\s€ au débit et au crédit/)
      .waitFor()
    assert.equal((await ask('/v1/books/batches/')).meta.totalCount, 0)
    await main(page).getByRole('button', { name: 'Émettre 3 écritures' }).click()
    await main(page).getByText('Le lot 1 a été émis avec 3 écritures.').waitFor()
    await cellOf(page, 'lundi 2 mars').filter({ hasText: 'émis' }).waitFor()
    const download = page.waitForEvent('download')
    await main(page).getByRole('button', { name: 'Lot 1 en FEC' }).click()
    const file = await download
    assert.match(file.suggestedFilename(), /^\d{9}FEC20260331\.txt$/)
    const [head, ...lines] = (await readFile(await file.path(), 'latin1')).trimEnd().split('\r\n')
    const columns = head?.split('\t') ?? []
    const rows = lines.map((line) => {
      const cells = line.split('\t')
      const of = (name: string) => cells[columns.indexOf(name)]
      return ['EcritureNum', 'EcritureDate', 'CompteNum', 'Debit', 'Credit'].map(of).join(' ')
    })
    // Calculated by hand: 22.00 by card on the 2nd and the 4th, 11.00 by the platform on the 5th; one eleventh of each
    // is tax.
    assert.deepEqual(rows, [
      'CA-2026-000001 20260302 511500 22,00 0,00',
      'CA-2026-000001 20260302 706100 0,00 20,00',
      'CA-2026-000001 20260302 44571100 0,00 2,00',
      'CA-2026-000002 20260304 511500 22,00 0,00',
      'CA-2026-000002 20260304 706100 0,00 20,00',
      'CA-2026-000002 20260304 44571100 0,00 2,00',
      'CA-2026-000003 20260305 467100 11,00 0,00',
      'CA-2026-000003 20260305 706100 0,00 10,00',
      'CA-2026-000003 20260305 44571100 0,00 1,00',
    ])
    assert.equal((await ask('/v1/books/batches/')).meta.totalCount, 1)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('the start date of the books is set in their rules, and earlier dates are listed separately and never issued', async () => {
    const { at, ask } = await restaurant()
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/month?month=2026-03')
    assert.equal(await textOf(page, 'Monday, 2 March 2026'), 'ready €22.00 Z2')
    await main(page).locator('summary', { hasText: 'Rules' }).click()
    await main(page).getByLabel('Start of the books').fill('2026-03-03')
    await main(page).getByRole('button', { name: 'Save the rules' }).click()
    await main(page).getByText('The rules apply from now on').waitFor()
    assert.deepEqual((await ask('/v1/books/accounts')).own, { startsOn: '2026-03-03' })
    await cellOf(page, 'Monday, 2 March').filter({ hasText: 'before your books' }).waitFor()
    // A different account for the card, chosen from all current accounts.
    await main(page).locator('summary', { hasText: 'Chart of accounts' }).click()
    await main(page).getByRole('button', { name: 'Change the account for Carte bancaire' }).click()
    await main(page).getByRole('textbox', { name: 'Account for Carte bancaire' }).fill('512000')
    await main(page).getByRole('button', { name: 'Save', exact: true }).last().click()
    await main(page).getByRole('textbox', { name: 'Account for Carte bancaire' }).waitFor({ state: 'detached' })
    const { own } = await ask('/v1/books/accounts')
    assert.deepEqual(own.payments, [{ name: 'Carte bancaire', account: '512000' }])
    await main(page).getByLabel('Account for Livréo').fill('467100')
    await main(page)
      .locator('form', { hasText: 'Account for Livréo' })
      .getByRole('button', { name: 'Save', exact: true })
      .click()
    await main(page).getByText('Every name has an account').waitFor()
    // The Z of the 3rd is accepted as it is; the 4th is left out.
    await cellOf(page, 'Tuesday, 3 March').click()
    await main(page).getByLabel('Accept anyway. Reason:').fill('the till was restarted')
    await main(page).getByLabel('Skip what cannot be booked').check()
    await main(page).getByRole('button', { name: 'Issue up to 31 Mar 2026 …' }).click()
    await main(page).getByRole('button', { name: 'Issue 2 entries' }).click()
    await main(page).getByText('Batch 1 was issued with 2 entries.').waitFor()
    const { entries } = await ask('/v1/books/batches/1')
    assert.deepEqual(
      entries.map(({ date, lines }: any) => [
        date,
        ...lines.map(({ account, debit, credit }: any) => `${account} ${debit - credit}`),
      ]),
      [
        // The Z states sales of 21.00 and rates of 11.00: the difference is on the suspense account.
        ['2026-03-03', '512000 1100', '706100 -1000', '44571100 -100'],
        ['2026-03-05', '467100 1100', '706100 -1000', '44571100 -100'],
      ],
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('everything that blocks a month is named and fixed there, even if it is from a month before', async () => {
    const { at, ask } = await restaurant()
    const { context, page, findings } = await visitAs(browser, at, { locale: 'fr-FR' })
    await goTo(page, at, '/month?month=2026-04')
    await main(page).getByText('Chaque nom a un compte.').waitFor()
    const issue = main(page).getByRole('button', { name: 'Émettre jusqu’au 30 avr. 2026 …' })
    await issue.click()
    await main(page).getByRole('link', { name: 'Z3 · mardi 3 mars 2026' }).waitFor()
    await main(page).getByRole('link', { name: 'Z4 · mercredi 4 mars 2026' }).waitFor()
    const day = (await ask('/v1/business-days/?since=2026-03-01&until=2026-03-31')).data.find(
      ({ date, status }: any) => date > '2026-03-01' && status === 'closed',
    )
    assert.equal(day?.date, '2026-03-04')
    await main(page).getByRole('heading', { name: 'Journées incomplètes' }).waitFor()
    await main(page).getByRole('link', { name: 'mercredi 4 mars 2026', exact: true }).click()
    await page.getByText('Ce qui manque').waitFor()
    await page.goBack()
    await main(page).getByLabel('Laisser de côté ce qui ne peut pas être comptabilisé').check()
    await issue.click()
    const field = main(page).getByRole('textbox', { name: 'Compte pour Livréo' })
    await field.fill('47')
    await field.press('Enter')
    assert.equal(await field.evaluate((input) => (input as any).validity.patternMismatch), true)
    assert.deepEqual((await ask('/v1/books/accounts')).own, {})
    await field.fill(' 467100 ')
    await field.press('Enter')
    await field.waitFor({ state: 'detached' })
    await issue.click()
    await main(page).getByRole('button', { name: 'Émettre 2 écritures' }).click()
    await main(page).getByText('Le lot 1 a été émis avec 2 écritures.').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })
})
