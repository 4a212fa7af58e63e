// Makes the pictures of docs/console/: every screen at 1280 × 800 and at 390 × 844, of a restaurant that does not exist.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, settingNames } from '../src/config.ts'
import { openDatabase } from '../src/server/database.ts'
import { everyScreen, screensFor } from '../test/support/console-screens.ts'
import {
  findChromium,
  launch,
  noChromium,
  settled,
  signInByKey,
  startConsoleServer,
  visit,
} from '../test/support/console.ts'
import { startReceiver } from '../test/support/receiver.ts'

const folder = join(import.meta.dirname, '../docs/console')

const viewports = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

/** `/orders/ORDER?tab=x` becomes `order-x`. */
const nameOf = (path: string) =>
  path
    .toLowerCase()
    .replace(/^\/orders\/order/, 'order')
    .replace(/^\/z\/report/, 'z-report')
    .replace(/^\/webhooks\/webhook/, 'webhook')
    .replace(/\?(?!dialog).*$/, '')
    .replaceAll(/[^a-z]+/g, '-')
    .replaceAll(/^-|-$|-dialog/g, '')

const executable = findChromium()
if (executable === undefined) throw new Error(noChromium)
const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-screenshots-'))
await using open = new AsyncDisposableStack()
open.defer(() => rm(dataDir, { recursive: true, force: true }))
const database = await openDatabase(readConfig(settingNames, { dataDir }, {}), { signal: new AbortController().signal })
open.defer(() => database.close())
const site = await startConsoleServer(database.pool, { days: 16, ordersPerDay: 80 })
open.defer(() => site.close())
const receiver = await startReceiver()
open.defer(() => receiver.close())
const browser = await launch(executable)
open.defer(() => browser.close())

const paths = await screensFor(site, receiver.url('/hooks'))
for (const viewport of viewports) {
  const { context, page } = await visit(browser, site, { viewport })
  const take = (name: string) =>
    page.screenshot({ path: join(folder, `${name}-${viewport.width}.jpg`), type: 'jpeg', quality: 74 })
  await page.goto(`${site.url}/console/`)
  await page.locator('input[name=key]').waitFor()
  await take('sign-in')
  await signInByKey(page, site)
  for (const [n, path] of paths.entries()) {
    await page.goto(`${site.url}/console${path}`)
    await settled(page)
    await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))')
    await take(nameOf(everyScreen[n] ?? path))
  }
  await context.close()
}
