import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { isDeepStrictEqual, promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { installationId } from '../../src/core/domain/accounts/keys.ts'
import { disableWebhook } from '../../src/core/contract/webhooks/rows.ts'
import { addKey } from '../support/app.ts'
import { goTo, goWithin, noChromium, openConsole, visitAs, visitAsOperator } from '../support/console.ts'
import { fits } from '../support/console-looks.ts'
import { everyScreen, isOfSession, knownOf, operatorScreens, withIds } from '../support/console-screens.ts'
import { hostile } from '../support/hostile.ts'
import { idOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const run = promisify(execFile)

/** Characters with a meaning in a shell. */
const forShells = `O'Neil "$(exit 3)" \`exit 4\`\\ $HOME;*`

/** Runs copied text unchanged, with the variable of its key. */
async function inBash(command: string, key: string): Promise<string> {
  const env = { ...process.env, KEY: key }
  return (await run('bash', ['-c', command], { env, maxBuffer: 64 * 1024 * 1024 })).stdout
}

/** Members that change between two requests. */
const moving = new Set([
  'lastUsedAt',
  'lastSeenAt',
  'memoryBytes',
  'clockOffsetMs',
  'idleUntil',
  'bytes',
  'rows',
  'sizeBytes',
  'since',
  'until',
  'upTo',
  'isOwn',
  'connections',
  'routes',
])

/** Returns a request without its dates and sizes: a table of earlier months requests the same data as its box. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://tillgate.example')
  for (const name of ['since', 'until', 'size', 'index']) searchParams.delete(name)
  searchParams.sort()
  return `${pathname}?${searchParams.toString()}`
}

const still = (text: string) => JSON.parse(text, (name, value) => (moving.has(name) ? undefined : value)) as unknown

/**
 * Requests whose responses a screen does not show: who is signed in, the head of the journal, names of displayed ids,
 * the options of filters, the oldest open order, which links to all of them, and the days with problems, which link to
 * their calendar.
 */
const ofNames = new RegExp(
  [
    String.raw`^/v1/(admin/)?locations/(own|names)`,
    '^/session$',
    '^/v1/webhooks/event-types/',
    '^/v1/catalog/payments/',
    '^/v1/journal/head$',
    String.raw`^/v1/access/\?limit=1$`,
    String.raw`^/v1/business-days/(revised)?\?`,
    String.raw`^/v1/reports/checks/.*size=50$`,
    String.raw`^/v1/orders/\?reportId=.*size=100`,
    String.raw`^/v1/orders/\?.*state=open.*size=1$`,
  ].join('|'),
)

/** Records the responses to the page, by path. */
const keepAnswers = `
  globalThis.answers = {}
  const ask = globalThis.fetch
  globalThis.fetch = async (url, init) => {
    const answer = await ask(url, init)
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    if (answer.ok && isJson) answers[String(url).split('/console/api')[1]] = await answer.clone().text()
    return answer
  }`

const answerTo = (page: Page, address: string) =>
  page.evaluate<string | null>(`answers[${JSON.stringify(address)}] ?? null`)

const parts = await openConsole({ days: 2, ordersPerDay: 8, kind: 'hostile' })

describe('a hostile restaurant in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  // Partners choose the URLs of webhooks.
  const hook = "/hostile'$(exit)%5B1-2%5D'"
  // Responses of receivers are untrusted text too.
  receiver.answer(hook, () => ({
    status: 500,
    headers: { 'x-markup': '<img src=x onerror=alert(1)>', 'content-type': 'text/html' },
    body: `${hostile.join('\n')}${'x'.repeat(1_000_000)}`,
  }))
  const known = (async () => {
    // An order, which is first in every list, and a catalogue, both with texts as long as a till can make them.
    const now = new Date().toISOString()
    const times = { createdAt: now, openedAt: now, closedAt: now, updatedAt: now, reportId: null }
    const long = (bytes: number) => `${hostile[0]}${'M'.repeat(bytes)}`
    const made = orderOf(site.location, 99, { ...times, orderPlace: long(240 * 1024), operatorName: hostile[3] ?? '' })
    const [product] = await site.get('/v1/catalog/')
    const names = { id: idOf('product', 99), name: long(900 * 1024) }
    // Words without a possible line break, in the names of the restaurant and of its tills.
    const own = await site.get('/v1/locations/own?devices=true')
    const deviceList = own.deviceList.map((device: object, n: number) => ({
      ...device,
      name: `${n}${'W'.repeat(150)}`,
    }))
    await site.push([
      { type: 'location', data: { ...own, name: 'L'.repeat(150), deviceList } },
      order(made),
      { type: 'catalog.products', data: [{ ...product, ...names }] },
    ])
    return knownOf(site, receiver.url(hook))
  })()

  // A record on several lines.
  const rejected = (async () => {
    const order = await site.get(`/v1/orders/${(await known).ORDER}`)
    // This record is short enough to be stored completely; a longer one has no request to copy.
    const short = { items: [], payments: [], orderPlace: hostile[0], operatorName: hostile[1], orderNumber: forShells }
    const wrong = JSON.stringify({ type: 'order', data: { ...order, ...short, total: 'douze' } }, null, 2)
    const headers = { 'x-api-key': site.key, 'content-type': 'application/json' }
    await fetch(`${site.url}/v1/ingest/`, { method: 'POST', headers, body: `[${wrong}]` })
    return site.pool<{ id: string; code: string }[]>`
      select id, code from rejected_records where octet_length(record) < 16 * 1024 - 3 order by id`
  })()

  /** Presses a copy button and returns the copied text. */
  async function copied(page: Page, button: { click(): Promise<void> }): Promise<string> {
    await page.evaluate('navigator.clipboard.writeText("")')
    await button.click()
    const read = () => page.evaluate<string>('navigator.clipboard.readText()')
    await eventually(async () => (await read()) !== '', 'it was copied')
    return read()
  }

  /**
   * Effects that must not occur: script that ran or could run, links to other sites, and text that rotates or covers
   * its surroundings.
   */
  const foreign = `JSON.stringify([
    globalThis.ran,
    [...document.querySelectorAll(':is(main, [role=dialog]) :is(img, script, iframe, object, a[href^="javascript:" i])')].length,
    /[\u202a-\u202e\u2066-\u2069]|\\p{M}{5}/u.test(document.body.innerText),
  ])`

  const stackedTables = `[...document.querySelectorAll('#main [data-stacked]')].map((one) => one.getAttribute('aria-label'))`

  for (const [who, come, screens] of [
    ['somebody with a key', visitAs, everyScreen],
    ['who runs the installation', visitAsOperator, operatorScreens],
  ] as const) {
    test(`is shown as text on each screen of ${who}: nothing runs, nothing overflows, nothing is lost`, async () => {
      await rejected
      const { context, page, findings } = await come(browser, site)
      let dialogs = 0
      page.on('dialog', (dialog) => {
        dialogs += 1
        void dialog.dismiss()
      })
      await goTo(page, site, '/events')
      for (const screen of screens) {
        const path = `${withIds(screen, await known)}${screen.includes('?') ? '&' : '?'}location=${site.location}`
        await page.setViewportSize({ width: 1280, height: 800 })
        await goWithin(page, path)
        // A long word is broken inside its cell: on a wide screen the table keeps its columns.
        assert.deepEqual(await page.evaluate<string[]>(stackedTables), [], path)
        for (const width of [1280, 320]) {
          await page.setViewportSize({ width, height: 800 })
          await fits(page, `${path} at ${width}`)
          assert.deepEqual(JSON.parse(await page.evaluate<string>(foreign)), [null, 0, false], path)
        }
      }
      assert.equal(dialogs, 0)
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('offers the request behind each list, figure and detail, with the same result in bash as on the screen, except for dry runs and counts of requests', async () => {
    const records = await rejected
    assert.ok(records.length > 0)
    // The events of this webhook are retried forever, which would change the response between the screen and bash.
    await disableWebhook(
      site.pool,
      { locationId: site.location, id: (await known).WEBHOOK },
      { reason: 'operator', at: new Date() },
    )
    const admin = await addKey(site.pool, installationId, { scopes: ['admin'] })
    const keyOf = (command: string) => (/\/v1\/(admin|console)\//.test(command) ? admin.key : site.key)
    const filtered = encodeURIComponent(forShells)
    const own = [
      ...everyScreen.filter((path) => !isOfSession(path)),
      `/orders?range=28d&number=${filtered}`,
      '/sales?by=hour&range=7d&compare=weekday',
    ]
    const operated = [
      ...operatorScreens,
      `/ops/rejected?code=${filtered}`,
      ...records.map(({ id }) => `/ops/rejected?record=${id}`),
    ]
    let ran = 0
    for (const [come, screens] of [
      [visitAs, own],
      [visitAsOperator, operated],
    ] as const) {
      const { context, page, findings } = await come(browser, site)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await context.addInitScript("localStorage.setItem('tillgate-requests', 'on')")
      await context.addInitScript(keepAnswers)
      const done = new Set<string>()
      const [addresses, handed] = [new Set<string>(), new Set<string>()]
      for (const screen of screens) {
        const path = `${withIds(screen, await known)}${screen.includes('?') ? '&' : '?'}location=${site.location}`
        await (addresses.size === 0 ? goTo(page, site, path) : goWithin(page, path))
        for (const address of await page.evaluate<string[]>('Object.keys(answers)')) addresses.add(address)
        const isDialog = (await page.getByRole('dialog').count()) > 0
        const root = isDialog ? page.getByRole('dialog') : page.locator('#main')
        // The buttons are found by their elements: for a moment after a click, a button is named `Copied`, even on the
        // next screen of the same kind.
        const buttons = await root.getByRole('button', { name: / as curl\b|^Copied$/ }).elementHandles()
        assert.ok(buttons.length > 0, `${path} hands out its request`)
        for (const button of buttons) {
          const command = await copied(page, button)
          if (done.has(command)) continue
          done.add(command)
          const [, address = ''] = /'http:[^']*?(\/v1\/[^']*)'$/.exec(command) ?? []
          handed.add(address)
          assert.ok(!command.includes(site.key), command)
          // A request that creates something is not repeated; its address and body are those that the form sends.
          if (/curl -X (POST|PATCH)/.test(command) && !/dryRun/.test(command)) continue
          const answer = await inBash(command, keyOf(command))
          ran += 1
          const seen = await answerTo(page, address)
          if (/\/v1\/ingest\/['?]/.test(command)) {
            const [result] = (JSON.parse(answer) as { results: { code: string }[] }).results
            assert.equal(result?.code, records.find(({ id }) => path.includes(id))?.code, path)
          } else if (/\/v1\/(keys\/own|access\/)|dryRun/.test(command)) {
            // These responses count requests, so they differ each time: only errors are checked.
            assert.equal((JSON.parse(answer) as { code?: string }).code, undefined, answer)
          } else {
            // Data that is requested only for copying, such as a secret, is not on the screen.
            const known = seen ?? JSON.stringify(await site.get(address))
            if (isDeepStrictEqual(still(answer), still(known))) continue
            // The journal may have grown in between, for example when a day is complete: the screen then requests it
            // again.
            let now: unknown[] = []
            const agree = async () => {
              now = [await inBash(command, keyOf(command)), (await answerTo(page, address)) ?? known].map((text) =>
                still(text),
              )
              return isDeepStrictEqual(now[0], now[1])
            }
            await eventually(agree, 'they agree', 10_000).catch(() => undefined)
            assert.deepEqual(now[0], now[1], `${path}: ${command}`)
          }
        }
      }
      const kindsHanded = new Set([...handed].map(kindOf))
      assert.deepEqual(
        [...addresses].filter((address) => !kindsHanded.has(kindOf(address)) && !ofNames.test(address)),
        [],
        'each request of a screen is offered as a command',
      )
      assert.deepEqual(findings, [])
      await context.close()
    }
    assert.ok(ran > 40, `${ran} requests`)
  })

  test('cannot inject shell code: a copied command of a form or a delivery does only what it states', async () => {
    const { WEBHOOK, DELIVERY } = await known
    const admin = await addKey(site.pool, installationId, { scopes: ['admin'] })
    const { context, page } = await visitAsOperator(browser, site)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await context.addInitScript("localStorage.setItem('tillgate-requests', 'on')")
    await goTo(page, site, `/ops/keys?dialog=key&location=${site.location}`)
    await page.getByRole('dialog').getByLabel('Name').fill(forShells)
    const makes = await copied(page, page.getByRole('dialog').getByRole('button', { name: 'Copy as curl' }))
    assert.equal((JSON.parse(await inBash(makes, admin.key)) as { name: string }).name, forShells)
    await goTo(page, site, `/webhooks/${WEBHOOK}?delivery=${DELIVERY}&location=${site.location}`)
    const sends = await copied(page, page.getByRole('button', { name: 'Copy the request as curl' }))
    const before = receiver.at(hook).length
    await inBash(sends, '')
    const { request } = await site.get(`/v1/webhooks/${WEBHOOK}/deliveries/${DELIVERY}`)
    assert.equal(receiver.at(hook)[before]?.body.toString(), request.body, 'byte for byte')
    await context.close()
  })

  test('cannot inject formulas into a spreadsheet, whether commas or semicolons separate the cells', async () => {
    const now = new Date().toISOString()
    const texts = { orderNumber: '=1+1', orderPlace: 'a;=2+2', operatorName: '@SUM(A1)' }
    const made = orderOf(site.location, 88, { ...texts, createdAt: now, openedAt: now, updatedAt: now })
    await site.push([order(made)])
    const { context, page } = await visitAs(browser, site)
    await goTo(page, site, `/orders?range=7d&number=${encodeURIComponent('=1+1')}`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV for spreadsheets: Orders' }).click(),
    ])
    const csv = (await readFile(await download.path(), 'utf8')).replace(/^\ufeff/, '')
    for (const text of ["'=1+1", "a;'=2+2", "'@SUM(A1)"]) assert.ok(csv.includes(text), `${text} in ${csv}`)
    assert.doesNotMatch(csv, /(^|[;,\n])\s*"?[=+@]/)
    await context.close()
  })

  test('is copied unchanged: text on the screen is copied as it was sent', async () => {
    const { ORDER, WEBHOOK, DELIVERY } = await known
    const { context, page } = await visitAs(browser, site)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await goTo(page, site, `/orders/${ORDER}`)
    await page.locator('#main').getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.deepEqual(JSON.parse(copied), await site.get(`/v1/orders/${ORDER}`))
    await goTo(page, site, `/webhooks/${WEBHOOK}?delivery=${DELIVERY}`)
    const answer = await page.getByRole('region', { name: 'Response body' }).innerText()
    assert.ok(answer.includes('<script>globalThis.ran=1</script>'))
    // Whatever mistake the page makes, the browser treats no text as markup or as a script.
    for (const sink of ['document.body.innerHTML = "<b>1</b>"', 'document.createElement("script").text = "1"'])
      await assert.rejects(page.evaluate(sink), /makes no markup|TrustedScript/, sink)
    assert.ok(answer.includes('⟨202E⟩'))
    await context.close()
  })
})
