import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { createSimulatedLocation } from '../../simulator/cli/simulate/setup.ts'
import { readConfig } from '../../src/core/config.ts'
import { roleScopes, sessionTimes, type Role } from '../../src/modules/console/schemas/console.ts'
import type { DiskRule } from '../../src/core/server/disk.ts'
import { createLog } from '../../src/core/server/log.ts'
import { serverSettings, startServer } from '../../src/core/server/start.ts'
import { createRestaurant, type Restaurant, type RestaurantKind } from '../../simulator/restaurant.ts'
import { businessDateAt, businessDay } from '../../simulator/calendar.ts'
import { sampleRecords, simulate } from '../../simulator/simulation.ts'
import { createConsoleLink } from '../../src/modules/console/store/console-sessions.ts'
import type { Pool } from '../../src/core/store/db/database.ts'
import { addKey, unlimited } from './app.ts'
import { buildConsole, findChromium } from './console-build.ts'
import { atEnd, createDatabase } from './database.ts'
import { linesOf } from './records.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { aheadS } from './set-clock.ts'
import { eventually, patienceMs } from './waiting.ts'

export const noChromium =
  'needs Chromium: apt-get install chromium-headless-shell, or name one in TILLGATE_TEST_CHROMIUM'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Without libfaketime, which makes a browser a hundred times slower: pages get their clock from `shiftedDate`. */
const { LD_PRELOAD: _preload, ...browserEnv } = process.env

export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: flags, ...(aheadS === 0 ? {} : { env: browserEnv }) })

/** Sets the clock of a page ahead by the same amount as the clock of the server. */
const shiftedDate = `(() => {
  const Real = Date
  const now = () => Real.now() + ${aheadS * 1_000}
  globalThis.Date = class extends Real {
    constructor(...given) {
      if (given.length === 0) super(now())
      else super(...given)
    }
    static now() {
      return now()
    }
  }
})()`

export type ConsoleServer = {
  pool: Pool
  url: string
  location: string
  /** A key that reads, registers webhooks and pushes. */
  key: string
  restaurant: Restaurant
  push(records: readonly unknown[], key?: string): Promise<void>
  /** Pushes the last sales, which are held back until a webhook exists. */
  sellOn(): Promise<void>
  /** Pushes the sales of the current day, with each version of the orders. */
  sellToday(): Promise<void>
  /** Pushes an order whose total is not a number: it is rejected and stored for the operator. */
  pushBroken(order: object): Promise<void>
  get(path: string): Promise<any>
  post(path: string, body: object): Promise<any>
  close(): Promise<void>
}

async function expectOk(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`${answer.status}: ${(await answer.text()).slice(0, 1000)}`)
  return answer
}

/** Number of the last records, which are held back for `sellOn`. */
const heldBack = 6

type SiteOptions = {
  days?: number
  ordersPerDay?: number
  kind?: RestaurantKind
  timeZone?: string
  settings?: Record<string, string>
  /** Pushes are refused when this disk is full, as for the embedded database. */
  disk?: DiskRule
}

/** Starts a complete server with deliveries, and a restaurant with some days of sales. */
export async function startConsoleServer(
  pool: Pool,
  {
    days = 3,
    ordersPerDay = 20,
    kind = 'ordinary',
    timeZone = 'Europe/Paris',
    settings: own = {},
    disk,
  }: SiteOptions = {},
): Promise<ConsoleServer> {
  buildConsole()
  const settings = { role: 'all', port: '0', allowHttp: true, allowAddress: ['127.0.0.0/8'], ...unlimited, ...own }
  const server = await startServer(pool, readConfig(serverSettings(), settings, {}), createLog('silent'), { disk })
  const { url } = server
  if (url === null) throw new Error('the server listens at no port')
  const restaurant = createRestaurant({ seed: 'console', ordersPerDay, kind, timeZone })
  const location = restaurant.location.id
  await createSimulatedLocation(pool, restaurant, new Date())
  const { key } = await addKey(pool, location)
  const push: ConsoleServer['push'] = async (records, by = key) => {
    const headers = { 'x-api-key': by, 'content-type': 'application/x-ndjson' }
    const answer = await expectOk(await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body: linesOf(records) }))
    const { rejected, results } = (await answer.json()) as { rejected: number; results: unknown[] }
    if (rejected > 0) throw new Error(`rejected: ${JSON.stringify(results).slice(0, 1000)}`)
  }
  const records = [...sampleRecords(restaurant, days, new Date())]
  const held = records.splice(-heldBack)
  await push(records)
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return (await expectOk(await fetch(`${url}${path}`, init))).json()
  }
  return {
    pool,
    url,
    location,
    key,
    restaurant,
    push,
    sellOn: () => push(held.splice(0)),
    sellToday: async () => {
      const from = new Date(businessDay(timeZone, businessDateAt(timeZone, Date.now())).startsAt)
      const records = [...simulate(restaurant, { from, to: new Date(), setup: false })].map(({ record }) => record)
      for (let at = 0; at < records.length; at += 500) await push(records.slice(at, at + 500))
    },
    pushBroken: async (order) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const body = JSON.stringify([{ type: 'order', data: { ...order, total: 'douze' } }])
      await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body })
    },
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    close: () => server.close(),
  }
}

export type ConsoleParts = { site: ConsoleServer; browser: Browser; receiver: Receiver }

/**
 * Starts one server, one browser and one receiver for all tests of a file. Undefined without a browser: the tests are
 * then skipped with the reason.
 */
export async function openConsole(options: SiteOptions = {}): Promise<ConsoleParts | undefined> {
  const executablePath = findChromium()
  if (executablePath === undefined) return undefined
  const database = await createDatabase()
  const site = await startConsoleServer(database.pool, options)
  atEnd(() => site.close())
  const browser = await launch(executablePath)
  atEnd(() => browser.close())
  const receiver = await startReceiver()
  atEnd(() => receiver.close())
  return { site, browser, receiver }
}

/** Effects that a page must not have: violations of its policy, errors, requests to other hosts. */
export type Findings = string[]

export type Visitor = { context: BrowserContext; page: Page; findings: Findings }

/** Chromium's message about a response with an error status, which is not a finding. */
const isFailure = /Failed to load resource/

/** Opens the page of a new visitor, whose findings are recorded from the first page on. */
export async function visit(
  browser: Browser,
  { url }: Pick<ConsoleServer, 'url'>,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
  if (aheadS !== 0) await context.addInitScript(shiftedDate)
  const findings: Findings = []
  await context.exposeFunction('tellFinding', (text: string) => void findings.push(text))
  await context.addInitScript(
    "document.addEventListener('securitypolicyviolation', (e) => tellFinding(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`))",
  )
  context.on('weberror', (error) => findings.push(`error: ${error.error().message}`))
  context.on('console', (message) => {
    if (message.type() === 'error' && !isFailure.test(message.text())) findings.push(`console: ${message.text()}`)
  })
  context.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) findings.push(`host: ${request.url()}`)
  })
  context.setDefaultTimeout(patienceMs)
  return { context, page: await context.newPage(), findings }
}

/** Opens the page of a visitor who is already signed in, by the request that the form sends. */
export async function visitAs(
  browser: Browser,
  site: Pick<ConsoleServer, 'url' | 'key'>,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await visit(browser, site, options)
  await enter(visitor, site.url, { key: site.key })
  return visitor
}

async function enter({ context }: Visitor, url: string, data: { key: string } | { code: string }): Promise<void> {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const answer = await context.request.post(`${url}/console/api/session`, { headers, data })
  if (!answer.ok()) throw new Error(`${answer.status()}: ${await answer.text()}`)
  const { pageSecret } = (await answer.json()) as { pageSecret: string }
  await context.addInitScript({
    content: `if (location.origin === ${JSON.stringify(new URL(url).origin)} && !sessionStorage.getItem('entered')) { sessionStorage.setItem('entered', '1'); localStorage.setItem('tillgate-page', ${JSON.stringify(pageSecret)}) }`,
  })
}

/** Opens the page with a sign-in link for a role and some locations; by default the link of `tillgate console`. */
export async function visitAsOperator(
  browser: Browser,
  site: Pick<ConsoleServer, 'url' | 'pool'>,
  options: BrowserContextOptions = {},
  link?: { role: Role; locationIds: string[] },
): Promise<Visitor> {
  const visitor = await visit(browser, site, options)
  const own =
    link === undefined
      ? { kind: 'operator' as const, role: 'operator' as const, locationIds: null, ...sessionTimes.operator }
      : { kind: 'link' as const, ...link, ...sessionTimes.owner }
  const scopes = [...roleScopes[own.role], ...(link === undefined ? ['admin' as const] : [])]
  const made = { scopes, recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null }
  const { code } = await createConsoleLink(site.pool, { ...own, name: own.role, ...made }, new Date())
  await enter(visitor, site.url, { code })
  return visitor
}

/** Opens a screen as from a bookmark, and waits until it has loaded. */
export async function goTo(page: Page, { url }: Pick<ConsoleServer, 'url'>, path: string): Promise<void> {
  await page.goto(`${url}/console${path}`)
  await settled(page)
}

/** The router of the page, which shows when a screen is rendered. */
const router = 'globalThis.__TSR_ROUTER__'

/** Goes to another screen like a link of the page, without a reload, and waits until it has loaded. */
export async function goWithin(page: Page, path: string): Promise<void> {
  const href = JSON.stringify(`/console${path}`)
  await page.evaluate(`${router}.history.push(${href})`)
  // With several locations, the selected one is appended.
  const isThere = `${router}.history.location.href.startsWith(${href})`
  await eventually(() => page.evaluate<boolean>(isThere), `${path} is opened`)
  await settled(page)
}

/** Whether the screen of the address is displayed: after a click, the address changes first. */
const isArrived = `${router} === undefined ||
  (${router}.state.status === 'idle' && ${router}.state.resolvedLocation?.href === ${router}.latestLocation.href)`

/** Waits until the screen of the address is shown, has loaded everything, and has its title. */
export async function settled(page: Page): Promise<void> {
  await eventually(() => page.evaluate<boolean>(isArrived), `${page.url()} is shown`)
  await page.locator('#main h1').waitFor()
  const waiting = page.locator('[data-loading], [aria-busy=true]')
  await eventually(async () => (await waiting.count()) === 0, `${page.url()} has loaded`)
}

/** The first line of the focused element: its name, or the label of its field. */
const focused = `(() => {
  const here = document.activeElement
  return (here?.getAttribute('aria-label') || (here?.labels?.[0] ?? here)?.innerText || '').split('\\n')[0].trim()
})()`

/**
 * Presses Tab until the element with this name has the focus: an element that Tab does not reach cannot be used by
 * keyboard.
 */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    if ((await page.evaluate<string>(focused)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${name}`)
}
