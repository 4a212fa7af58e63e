// Takes the pictures of docs/console/: every screen at 1280 × 800 and at 390 × 844, of simulated restaurants. Options
// set the language and another folder: --locale fr-FR --folder /tmp/pictures
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { createSimulatedLocation } from '../simulator/cli/simulate/setup.ts'
import { readConfig, settingNames } from '../src/core/config.ts'
import { sessionTimes } from '../src/modules/console/schemas/console.ts'
import { openDatabase } from '../src/core/server/database.ts'
import { businessDateAt, businessDay } from '../simulator/calendar.ts'
import { createRestaurant } from '../simulator/restaurant.ts'
import { sampleRecords, simulate } from '../simulator/simulation.ts'
import { createConsoleLink } from '../src/modules/console/store/console-sessions.ts'
import { addKey } from '../test/support/app.ts'
import {
  goTo,
  launch,
  noChromium,
  signInByKey,
  startConsoleServer,
  visit,
  visitAsOperator,
} from '../test/support/console.ts'
import { findChromium } from '../test/support/console-build.ts'
import { knownOf, withIds } from '../test/support/console-screens.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { eventually } from '../test/support/waiting.ts'

const { values: given } = parseArgs({ options: { locale: { type: 'string' }, folder: { type: 'string' } } })
const { locale = 'en-GB' } = given
const folder = resolve(given.folder ?? join(import.meta.dirname, '../docs/console'))
await mkdir(folder, { recursive: true })

const viewports = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

/** The screenshots and their addresses; capitals stand for results of `knownOf`. */
const screens = {
  today: '/today',
  sales: '/sales?by=day&range=28d',
  'sales-products': '/sales?by=product&compare=previous&range=7d',
  'sales-half-hours': '/sales?by=weekday%2ChalfHour&range=28d',
  orders: '/orders?range=28d',
  order: '/orders/ORDER',
  z: '/z',
  'z-report': '/z/REPORT',
  days: '/days?day=DAY',
  month: '/month?month=MONTH',
  deductions: '/deductions?range=28d',
  'catalog-products': '/catalog/products',
  'catalog-taxes': '/catalog/taxes',
  'catalog-changes': '/catalog/products?view=changes',
  closings: '/closings?number=1',
  integrity: '/integrity',
  log: '/log',
  webhooks: '/webhooks',
  'webhook-new': '/webhooks?dialog=new',
  webhook: '/webhooks/WEBHOOK',
  delivery: '/webhooks/WEBHOOK?delivery=DELIVERY',
  test: '/webhooks/WEBHOOK?dialog=test',
  replay: '/webhooks/WEBHOOK?dialog=replay',
  events: '/events',
  entry: '/events?entry=1',
  key: '/key',
  access: '/access',
}

/** The screenshots of the operator. */
const operations = {
  ops: '/ops',
  'ops-tills': '/ops/tills',
  'ops-sources': '/ops/sources',
  'ops-rejected': '/ops/rejected',
  'ops-keys': '/ops/keys',
  'ops-sessions': '/ops/keys?tab=sessions',
  'ops-passkeys': '/ops/keys?tab=passkeys',
  'ops-audit': '/ops/keys?tab=audit',
  'ops-system': '/ops/system',
}

/** Time zones for the restaurants: in one of them it is evening now, so that there are sales to show. */
const zones = [
  'Europe/Paris',
  'America/Cayenne',
  'America/Martinique',
  'Indian/Reunion',
  'Pacific/Noumea',
  'Pacific/Tahiti',
]

const hourIn = (timeZone: string) =>
  Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(new Date()))

const timeZone = zones.toSorted((a, b) => Math.abs(hourIn(a) - 20) - Math.abs(hourIn(b) - 20))[0] as string

const executable = findChromium()
if (executable === undefined) throw new Error(noChromium)
const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-screenshots-'))
await using open = new AsyncDisposableStack()
open.defer(() => rm(dataDir, { recursive: true, force: true }))
const database = await openDatabase(readConfig(settingNames, { dataDir }, {}), { signal: new AbortController().signal })
open.defer(() => database.close())
const site = await startConsoleServer(database.pool, { days: 16, ordersPerDay: 80, timeZone })
open.defer(() => site.close())
const receiver = await startReceiver()
open.defer(() => receiver.close())
const browser = await launch(executable)
open.defer(() => browser.close())

// One receiver that works, and one that fails every third request.
receiver.answer('/hooks', (_, earlier) =>
  earlier % 3 === 2 ? { status: 503, body: '{"error":"the ledger is locked"}' } : { status: 200, body: '{"ok":true}' },
)
const known = await knownOf(site, receiver.url('/hooks'))
await site.sellToday()
// Shows a failed delivery, the kind that people inspect.
await eventually(async () => {
  const { data } = await site.get(`/v1/webhooks/${known.WEBHOOK}/deliveries?size=100`)
  known.DELIVERY = data.find(({ success }: { success: boolean }) => !success)?.id ?? known.DELIVERY
  return data.some(({ id, success }: { id: string; success: boolean }) => id === known.DELIVERY && !success)
}, 'a delivery has failed')

// A ticket that changed four days ago, after the close: its day is rewritten, and its Z cannot be booked.
const { data: checks } = await site.get('/v1/reports/checks/?size=20&sort=-finalizedAt')
const [, , , rewritten] = checks as { reportId: string; businessDay: string }[]
const { data: sold } = await site.get(`/v1/orders/?reportId=${rewritten?.reportId}&size=50`)
const ticket = sold.find((one: any) => !one.isCanceled && !one.isTraining && one.payments.length === 1)
const [payment] = ticket.payments
const payments = [{ ...payment, paymentAmount: payment.paymentAmount - 1 }]
await site.push([{ type: 'order', data: { ...ticket, updatedAt: new Date().toISOString(), payments } }])
const DAY = rewritten?.businessDay ?? ''
const places = { ...known, DAY, MONTH: DAY.slice(0, 7) }
const [{ businessDay: last }] = checks
await site.post('/v1/closings/', { until: last, after: 0 })

// Two more restaurants of the same owner, who sees all three with one link.
const startedAt = new Date()
const morning = new Date(businessDay(timeZone, businessDateAt(timeZone, startedAt.getTime())).startsAt)
const others = ['north', 'south'].map((seed, n) => createRestaurant({ seed, ordersPerDay: 45 + 60 * n, timeZone }))
for (const restaurant of others) {
  await createSimulatedLocation(database.pool, restaurant, startedAt)
  const { key } = await addKey(database.pool, restaurant.location.id)
  const today = simulate(restaurant, { from: morning, to: startedAt, setup: false })
  const records = [...sampleRecords(restaurant, 9, startedAt), ...[...today].map(({ record }) => record)]
  for (let at = 0; at < records.length; at += 500) await site.push(records.slice(at, at + 500), key)
}
const ownersLink = async () => {
  const who = { kind: 'link', role: 'owner', name: 'Mme Petit', scopes: ['read' as const], madeBy: 'cli' } as const
  const locationIds = [site.location, ...others.map(({ location }) => location.id)]
  const of = { recipientId: null, keyId: null, returnUrl: null, locationIds }
  return createConsoleLink(database.pool, { ...who, scopes: ['read'], ...of, ...sessionTimes.owner }, new Date())
}

// Requests of a key are counted once a minute.
const isCounted = async () => (await site.get('/v1/keys/own/usage')).data.length > 0
await eventually(isCounted, 'the requests of the key are counted')

async function takeAll(page: Page, width: number, paths: Record<string, string>): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    await goTo(
      page,
      site,
      withIds(path, known).replaceAll(/DAY|MONTH/g, (name) => places[name as 'DAY']),
    )
    if (name === 'test') {
      await page.getByRole('dialog').locator('button[class*=primary]').click()
      await page.getByRole('dialog').locator('summary').first().waitFor()
    }
    await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))')
    await take(page, name, width)
  }
}

const take = (page: Page, name: string, width: number) =>
  page.screenshot({ path: join(folder, `${name}-${width}.jpg`), type: 'jpeg', quality: 74 })

for (const viewport of viewports) {
  const { context, page } = await visit(browser, site, { viewport, locale })
  await page.goto(`${site.url}/console/`)
  await page.locator('input[name=key]').waitFor()
  await take(page, 'sign-in', viewport.width)
  await signInByKey(page, site)
  await takeAll(page, viewport.width, screens)
  await context.close()
  const owner = await visit(browser, site, { viewport, locale })
  await owner.page.goto(`${site.url}/console/restaurants#code=${(await ownersLink()).code}`)
  await owner.page.locator('button[class*=primary]').click()
  await owner.page.locator('#main h1').waitFor()
  await takeAll(owner.page, viewport.width, { restaurants: '/restaurants' })
  await owner.context.close()
  const operator = await visitAsOperator(browser, site, { viewport, locale })
  await takeAll(operator.page, viewport.width, operations)
  await operator.context.close()
}
