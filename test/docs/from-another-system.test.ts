import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { addLocation, startApp } from '../support/app.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/modules/from-another-system.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'tillgate-converter-'))
after(() => rmSync(folder, { recursive: true }))

/** Returns a block of the page that shows a file with this name. */
function fileOf(name: string): string {
  const match = new RegExp(`\`\`\`\\w+ ${name}\n([\\s\\S]*?)\`\`\``).exec(page)
  assert.ok(match, name)
  return match[1] as string
}

const app = await startApp({ clock: () => new Date('2026-03-20T12:00:00.000Z') })

function convert(sales: string): string {
  const script = join(folder, 'convert.mjs')
  writeFileSync(script, fileOf('convert.mjs'))
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { input: sales, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

test('the converter of the page has forty lines, and its result for the page’s sales is stored', async () => {
  const code = fileOf('convert.mjs')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//'))
  assert.ok(code.length <= 40, `${code.length} lines`)
  const site = await app.addLocation()
  const { json, status } = await app.push(convert(fileOf('sales.ndjson')), { key: site.key })
  assert.equal(status, 200, JSON.stringify(json))
  const [sale, refund] = await Promise.all(
    json.results.map(async ({ id }: { id: string }) => (await app.get(`/v1/orders/${id}`, { key: site.key })).json),
  )
  // 24.00 + 4.50 − 1.00 − 1.00; the 1.00 off the whole is divided into 24.00 ÷ 27.50 = 0.87 and 3.50 ÷ 27.50 = 0.13.
  assert.deepEqual(
    [sale.total, sale.totalDiscount, sale.tips[0].amount, sale.payments[0].paymentAmount],
    [26.5, 2, 1.5, 26.5],
  )
  assert.deepEqual(
    sale.items.map((item: any) => item.total),
    [23.13, 3.37],
  )
  // 26.50 ÷ 11 = 2.41: of the 2.18 + 0.32 in the lines, 0.09 are removed with the 1.00.
  assert.deepEqual([sale.totalTax, sale.items.map((item: any) => item.tax.taxAmount)], [2.41, [2.1, 0.31]])
  assert.deepEqual(
    json.results[0].warnings.map(({ code }: { code: string }) => code),
    ['unknown_device'],
  )
  assert.deepEqual([refund.total, refund.refundOf, refund.items[0].quantity], [-2.25, sale.id, -1])
})

test('a converter that omits a part of the sale gets the error in the page', async () => {
  const site = await app.addLocation()
  const sales = fileOf('sales.ndjson').replace(',"service":"-1.00"', '')
  const { json, status } = await app.push(convert(sales), { key: site.key })
  assert.equal(status, 207)
  const { code, detail } = json.results[0]
  assert.equal(code, 'ticket_differs')
  assert.ok(page.includes(`\`${detail}\``), detail)
})

test('amounts of tickets are in the minor unit that the page states: 500 yen are 50000, and dinars thousandths', async () => {
  for (const [currency, amount, total] of [
    ['EUR', 1100, 11],
    ['JPY', 50_000, 500],
    ['KWD', 1250, 1.25],
  ] as const) {
    const id = await addLocation(app.pool, undefined, { currency })
    const { key } = await app.addKey(id)
    const at = '2026-03-14T19:00:00.000Z'
    const frame = { source: 'mytill', account: 'shop-1', key: '1', version: at, opened: at, closed: at }
    const items = [{ name: 'Ramen', quantity: 1, amount }]
    const data = { ...frame, items, payments: [{ name: 'Cash', key: 'cash', amount }], said: { total: amount } }
    const { json } = await app.push([{ type: 'ticket', data }], { key })
    assert.equal((await app.get(`/v1/orders/${json.results[0].id}`, { key })).json.total, total, currency)
  }
  assert.match(page, /11\.00 € are 1100, \*\*500 yen are 50000\*\*, 1\.250 KWD \(thousandths\) are 1250/)
})

test('cash rounded by -2 as on the page is 12.00 for 12.02, and paid', async () => {
  assert.match(page, /−2 where 12\.02 became 12\.00; stored as a payment of 0\.02/)
  const site = await app.addLocation()
  const at = '2026-03-14T19:00:00.000Z'
  const frame = {
    source: 'mytill',
    account: 'shop-1',
    key: '1',
    version: at,
    opened: at,
    closed: at,
    said: { total: 1202 },
  }
  const items = [{ name: 'Ramen', quantity: 1, amount: 1202 }]
  const payments = [{ name: 'Cash', key: 'cash', amount: 1200 }]
  const push = async (changes: object) => {
    const data = { ...frame, items, payments, ...changes }
    return (await app.push([{ type: 'ticket', data }], { key: site.key })).json
  }
  const { results } = await push({ rounding: -2 })
  assert.equal(results[0].status, 'accepted', JSON.stringify(results))
  const stored = (await app.get(`/v1/orders/${results[0].id}`, { key: site.key })).json
  assert.equal(stored.total, 12.02)
  assert.deepEqual(
    stored.payments.map(({ paymentName, paymentAmount }: any) => [paymentName, paymentAmount]),
    [
      ['Cash', 12],
      ['Rounding', 0.02],
    ],
  )
})
