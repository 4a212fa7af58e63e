// Takes pictures of every screen of the console for inspection, at 320, 390, 768, 1280 and 1920 pixels and in both
// themes, each with the next language and currency; --whole takes the whole page. The restaurants have amounts of seven
// digits: npm run make -- pictures --folder DIR --only '^/(today|sales)'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSimulatedLocation } from '../simulator/cli/simulate/setup.ts'
import { createRestaurant } from '../simulator/restaurant.ts'
import { sampleRecords } from '../simulator/simulation.ts'
import { readConfig, settingNames } from '../src/core/config.ts'
import { openDatabase } from '../src/core/server/database.ts'
import { addKey } from '../test/support/app.ts'
import { findChromium } from '../test/support/console-build.ts'
import { everyScreen, knownOf, operatorScreens, withIds, type Known } from '../test/support/console-screens.ts'
import { goTo, launch, noChromium, startConsoleServer, visitAs, visitAsOperator } from '../test/support/console.ts'
import { startReceiver } from '../test/support/receiver.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
    whole: { type: 'boolean', default: false },
    width: { type: 'string', multiple: true },
  },
})
const { only, whole: isWhole } = values
const folder = values.folder ?? join(tmpdir(), 'tillgate-pictures')
await mkdir(folder, { recursive: true })

const widths = values.width?.map(Number) ?? [320, 390, 768, 1280, 1920]
const currencies = ['EUR', 'KWD', 'KRW'] as const

/**
 * Multiplies amounts of a till's record by a thousand, which makes them whole numbers, for currencies without decimals.
 */
function enlarged(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => enlarged(one, name))
  if (typeof value === 'number') return /total|price|amount|balance/i.test(name) ? Math.round(value * 1000) : value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, enlarged(inner, key)]))
}

const executable = findChromium()
if (executable === undefined) throw new Error(noChromium)
const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-pictures-'))
await using open = new AsyncDisposableStack()
open.defer(() => rm(dataDir, { recursive: true, force: true }))
const database = await openDatabase(readConfig(settingNames, { dataDir }, {}), { signal: new AbortController().signal })
open.defer(() => database.close())
const { pool } = database
const site = await startConsoleServer(pool, { days: 3, ordersPerDay: 30 })
open.defer(() => site.close())
const receiver = await startReceiver()
open.defer(() => receiver.close())
const browser = await launch(executable)
open.defer(() => browser.close())
const known = await knownOf(site, receiver.url('/hooks'))

const places: { key: string; known: Known }[] = []
for (const currency of currencies) {
  const restaurant = createRestaurant({ seed: currency, ordersPerDay: 80 })
  const { id } = restaurant.location
  await createSimulatedLocation(pool, restaurant, new Date())
  await pool`update locations set currency = ${currency} where id = ${id}`
  const { key } = await addKey(pool, id)
  const records = [...sampleRecords(restaurant, 9, new Date())].map((record) => enlarged(record))
  for (let at = 0; at < records.length; at += 500) await site.push(records.slice(at, at + 500), key)
  const [report] = await (
    await fetch(`${site.url}/v1/reports/?size=1`, { headers: { 'x-api-key': key } })
  )
    .json()
    .then(({ data }: any) => data)
  places.push({ key, known: { ...known, ORDER: report.orders[0], REPORT: report.id } })
}

const fileOf = (path: string) => path.replaceAll(/[^\w]+/g, '-').replaceAll(/^-|-$/g, '')
let turn = 0
for (const width of widths) {
  for (const path of [...everyScreen, '/restaurants', ...operatorScreens].filter((one) => new RegExp(only).test(one))) {
    turn += 1
    const place = places[turn % places.length] as (typeof places)[number]
    const locale = turn % 2 ? 'fr-FR' : 'en-GB'
    const isOfAll = path.startsWith('/ops') || path === '/restaurants'
    const isOfKey = path.includes('webhooks') || isOfAll
    const options = { viewport: { width, height: width < 500 ? 844 : 900 }, locale }
    const { context, page } = await (isOfAll
      ? visitAsOperator(browser, site, options)
      : visitAs(browser, isOfKey ? site : { ...site, key: place.key }, options))
    // At the beginning of a month, the month before has no data.
    const address = path === '/month' ? `/month?month=${new Date().toISOString().slice(0, 7)}` : path
    await goTo(page, site, withIds(address, isOfKey ? known : place.known)).catch((error: unknown) =>
      process.stderr.write(`${path} at ${width}: ${String(error).slice(0, 200)}\n`),
    )
    const wide = Number(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    )
    if (wide > 0) process.stdout.write(`${path} at ${width} is ${wide} px too wide\n`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const name = `${fileOf(path)}-${width}-${locale.slice(0, 2)}-${colorScheme}-${currencies[turn % 3]}.jpg`
      await page.screenshot({ path: join(folder, name), type: 'jpeg', quality: 60, fullPage: isWhole })
    }
    await context.close()
  }
}
