import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { createSimulatedLocation } from '../../src/cli/simulate/setup.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/server/log.ts'
import { serverSettings, startServer } from '../../src/server/start.ts'
import { createRestaurant } from '../../src/simulator/restaurant.ts'
import { sampleRecords } from '../../src/simulator/simulation.ts'
import type { Pool } from '../../src/store/database.ts'
import { addKey } from './app.ts'
import { linesOf } from './records.ts'
import { eventually } from './waiting.ts'

const root = join(import.meta.dirname, '../..')

/** The browser that is there, or undefined; `TILLGATE_TEST_CHROMIUM` names another. */
export function findChromium(): string | undefined {
  const { TILLGATE_TEST_CHROMIUM } = process.env
  return [TILLGATE_TEST_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    (path) => path !== undefined && existsSync(path),
  )
}

export const noChromium = 'needs Chromium: apt-get install chromium, or name one in TILLGATE_TEST_CHROMIUM'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: flags })

/** Builds the console unless it is there, as it is served. */
export function buildConsole(): void {
  if (existsSync(join(root, 'dist/console/index.html'))) return
  execFileSync('npm', ['run', '-s', 'console:build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

export type ConsoleServer = {
  pool: Pool
  url: string
  location: string
  /** Reads, writes webhooks and pushes. */
  key: string
  push(records: readonly unknown[], key?: string): Promise<void>
  get(path: string): Promise<any>
  close(): Promise<void>
}

async function expectOk(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`${answer.status}: ${(await answer.text()).slice(0, 1000)}`)
  return answer
}

/** A whole server, with delivery, and a restaurant that sold for some days. */
export async function startConsoleServer(pool: Pool, { days = 3, ordersPerDay = 20 } = {}): Promise<ConsoleServer> {
  buildConsole()
  const settings = { role: 'all', port: '0', rateLimit: '0', allowHttp: true, allowAddress: ['127.0.0.0/8'] }
  const server = await startServer(pool, readConfig(serverSettings, settings, {}), createLog('silent'))
  const { url } = server
  if (url === null) throw new Error('the server listens at no port')
  const restaurant = createRestaurant({ seed: 'console', ordersPerDay })
  const location = restaurant.location.id
  await createSimulatedLocation(pool, restaurant, new Date())
  const { key } = await addKey(pool, location)
  const push: ConsoleServer['push'] = async (records, by = key) => {
    const headers = { 'x-api-key': by, 'content-type': 'application/x-ndjson' }
    const answer = await expectOk(await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body: linesOf(records) }))
    const { rejected, results } = (await answer.json()) as { rejected: number; results: unknown[] }
    if (rejected > 0) throw new Error(`rejected: ${JSON.stringify(results).slice(0, 1000)}`)
  }
  const records = sampleRecords(restaurant, days, new Date())
  await push([...records])
  const get: ConsoleServer['get'] = async (path) =>
    (await expectOk(await fetch(`${url}${path}`, { headers: { 'x-api-key': key } }))).json()
  return { pool, url, location, key, push, get, close: () => server.close() }
}

/** What a page did that it must not: findings of the policy, errors, requests to other hosts. */
export type Findings = string[]

/** The answers that say that there is nothing, which Chromium tells as errors of loading. */
const isToldBy = /Failed to load resource/

/** A visitor of his own, whose findings are collected from the first page on. */
export async function visit(
  browser: Browser,
  { url }: Pick<ConsoleServer, 'url'>,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; findings: Findings }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
  const findings: Findings = []
  await context.exposeFunction('tellFinding', (text: string) => void findings.push(text))
  await context.addInitScript(
    "document.addEventListener('securitypolicyviolation', (e) => tellFinding(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`))",
  )
  context.on('weberror', (error) => findings.push(`error: ${error.error().message}`))
  context.on('console', (message) => {
    if (message.type() === 'error' && !isToldBy.test(message.text())) findings.push(`console: ${message.text()}`)
  })
  context.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) findings.push(`host: ${request.url()}`)
  })
  context.setDefaultTimeout(20_000)
  return { context, page: await context.newPage(), findings }
}

/** Signs in by the form, as a person with a key does. */
export async function signInByKey(page: Page, { url, key }: Pick<ConsoleServer, 'url' | 'key'>): Promise<void> {
  await page.goto(`${url}/console/`)
  await page.locator('input[name=key]').fill(key)
  await page.locator('button[type=submit]').click()
  await page.locator('#main h1').waitFor()
}

/** Nothing is loading any more, and the screen has its title. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main h1').waitFor()
  const waiting = page.locator('[data-loading], [aria-busy=true]')
  await eventually(async () => (await waiting.count()) === 0, `${page.url()} has loaded`)
}

const axeSource = readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** Violations of WCAG 2.2 A and AA that axe finds, a line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource)
  type Result = { violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }
  const tags = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
  const { violations } = await page.evaluate<Result>(
    `axe.run(document, { runOnly: ${tags}, resultTypes: ['violations'] })`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`)
}

/** So many pixels more than the window has the page: 0 where nothing overflows. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)')
