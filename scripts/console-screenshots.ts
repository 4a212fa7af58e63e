// Takes the pictures of docs/modules/console.md, at 1280 × 800, of a simulated restaurant. Options set the language and
// another folder: --locale fr-FR --folder /tmp/pictures
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig, settingNames } from '../src/core/config.ts'
import { openDatabase } from '../src/core/server/database.ts'
import { goTo, launch, noChromium, startConsoleServer, visitAs } from '../test/support/console.ts'
import { findChromium } from '../test/support/console-build.ts'
import { knownOf, withIds } from '../test/support/console-screens.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { eventually } from '../test/support/waiting.ts'

const { values: given } = parseArgs({ options: { locale: { type: 'string' }, folder: { type: 'string' } } })
const { locale = 'en-GB' } = given
const folder = resolve(given.folder ?? join(import.meta.dirname, '../docs/console'))
await mkdir(folder, { recursive: true })

/** Time zones for the restaurant: in one of these it is evening now, so that there are sales to show. */
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

// The receiver fails every third request, so that there is a failed delivery to show.
receiver.answer('/hooks', (_, earlier) =>
  earlier % 3 === 2 ? { status: 503, body: '{"error":"the ledger is locked"}' } : { status: 200, body: '{"ok":true}' },
)
const known = await knownOf(site, receiver.url('/hooks'))
await site.sellToday()
// Shows a failed delivery, which is what people inspect.
await eventually(async () => {
  const { data } = await site.get(`/v1/webhooks/${known.WEBHOOK}/deliveries?size=100`)
  known.DELIVERY = data.find(({ success }: { success: boolean }) => !success)?.id ?? known.DELIVERY
  return data.some(({ id, success }: { id: string; success: boolean }) => id === known.DELIVERY && !success)
}, 'a delivery has failed')

const { context, page } = await visitAs(browser, site, { viewport: { width: 1280, height: 800 }, locale })
for (const [name, path] of [
  ['today', '/today'],
  ['delivery', '/webhooks/WEBHOOK?delivery=DELIVERY'],
] as const) {
  await goTo(page, site, withIds(path, known))
  await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))')
  await page.screenshot({ path: join(folder, `${name}-1280.jpg`), type: 'jpeg', quality: 74 })
}
await context.close()
