import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { disableWebhook } from '../../src/core/contract/webhooks/rows.ts'
import { goTo, noChromium, openConsole, tabTo, visitAs, visitAsOperator } from '../support/console.ts'
import { order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 8 })

/** Returns an order that was just paid, so that webhooks receive it. */
const paidNow = (location: string, n: number, number: string) => {
  const now = new Date().toISOString()
  return order(
    orderOf(location, n, { orderNumber: number, createdAt: now, openedAt: now, closedAt: now, updatedAt: now }),
  )
}

describe('webhooks in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts

  const register = async (path: string, events = ['order.paid']) => {
    const { id } = await site.post('/v1/webhooks/', {
      endpointUrl: receiver.url(path),
      events,
      locationId: site.location,
      recipientId: crypto.randomUUID(),
    })
    return id as string
  }

  test('a paused one continues where it stopped; one that fails once is not green, and its log filters by its events', async () => {
    const id = await register('/paused')
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/webhooks/${id}`)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Disabled: it was paused.').waitFor()
    await site.push([paidNow(site.location, 601, 'PAUSED-1')])
    await eventually(async () => (await site.get(`/v1/webhooks/${id}/status`)).behind > 0, 'it is behind')
    assert.equal(receiver.at('/paused').length, 0)
    const status = await site.get(`/v1/webhooks/${id}/status`)
    assert.deepEqual([status.state, status.disabledReason], ['disabled', 'paused'])
    const options = await page.getByLabel('Event', { exact: true }).locator('option').allInnerTexts()
    assert.deepEqual(options, ['All', 'order.paid'])
    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await receiver.until(
      () => receiver.at('/paused').some(({ event }) => event.data.orderNumber === 'PAUSED-1'),
      'what came meanwhile',
    )
    // The second attempt is an hour later, so the screen shows the first failure even on a slow machine.
    receiver.answer('/paused', () => ({ status: 500, headers: { 'retry-after': '3600' }, body: '{}' }))
    await site.push([paidNow(site.location, 602, 'PAUSED-2')])
    await eventually(async () => (await site.get(`/v1/webhooks/${id}/status`)).failures === 1, 'it failed once')
    await page.getByText('1 failure in a row: the event is retried automatically.').waitFor()
    await goTo(page, site, '/webhooks')
    const row = page.locator('#main [data-row]').filter({ hasText: '/paused' })
    await row.getByText('retrying', { exact: true }).waitFor()
    // The webhook gets a name, which appears in the list and above its screen.
    await goTo(page, site, `/webhooks/${id}?dialog=edit`)
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name Optional' }).fill('Comptabilité')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Comptabilité', level: 1 }).waitFor()
    await goTo(page, site, '/webhooks')
    await row.getByRole('link', { name: 'Comptabilité' }).waitFor()
    // States arrive after the rows; on a telephone the list fits nevertheless.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.route(`**/v1/webhooks/${id}/status`, async (route) => {
      const response = await route.fetch()
      const body = { ...((await response.json()) as object), setAside: 1_234_567 }
      await route.fulfill({ response, json: body })
    })
    await goTo(page, site, '/webhooks')
    await row.getByText('1,234,567 waiting for retry').waitFor()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const list = page.locator('#main').getByRole('region', { name: 'Webhooks' })
    assert.equal(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // An event of a type that was removed from the webhook is not sent again: nothing is waiting after its failure.
    await page.route(`**/v1/webhooks/${id}/status`, async (route) => {
      const response = await route.fetch()
      const body = { ...((await response.json()) as object), state: 'enabled', failures: 1, setAside: 0, behind: 0 }
      await route.fulfill({ response, json: body })
    })
    await goTo(page, site, `/webhooks/${id}`)
    await page.getByText('Up to date: nothing is waiting.').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await site.post(`/v1/webhooks/${id}/disable`, {})
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('one is created, tested, fails, is explained, fixed and resent, by keyboard alone', async () => {
    const answers = { status: 500, body: '{"error":"no such table: orders"}' }
    receiver.answer('/mend', () => answers)
    const { context, page, findings } = await visitAs(browser, site)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await goTo(page, site, '/webhooks')
    await tabTo(page, 'New webhook')
    await press('Enter')
    await page.getByRole('dialog').getByLabel('order.paid').waitFor()
    await tabTo(page, 'URL')
    await press('ControlOrMeta+a')
    await page.keyboard.type(receiver.url('/mend'))
    await press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    // The screen of the webhook lists the remaining steps.
    await page.waitForURL(/\/webhooks\/[\da-f-]{36}\?made=yes/)
    await page.getByText('Two steps remain').waitFor()
    await tabTo(page, 'Test')
    await press('Enter')
    await tabTo(page, 'Send the test')
    await press('Enter')
    await page.getByText('0 of 2 were accepted.').waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await site.push([paidNow(site.location, 501, 'MEND-1')])
    await receiver.until(
      () => receiver.at('/mend').some(({ event }) => event.data.orderNumber === 'MEND-1'),
      'the call',
    )
    await page
      .getByLabel('Failures by cause')
      .getByText(/\d+ × http 500/)
      .waitFor()
    await tabTo(page, 'order.paid')
    await press('Enter')
    const detail = page.getByRole('dialog', { name: 'Delivery' })
    await detail.getByText('The receiver answered, but not with 2xx.').waitFor()
    await detail.getByRole('region', { name: 'Response body' }).getByText('no such table').waitFor()
    answers.status = 200
    await tabTo(page, 'Resend this event')
    await press('Enter')
    await detail.getByText('It is being sent').waitFor()
    await press('Escape')
    await detail.waitFor({ state: 'detached' })
    // The webhook has its own URL again, and the log shows that the same event was accepted.
    await page.getByRole('table', { name: 'Deliveries' }).getByText('200').first().waitFor()
    const ids = receiver.at('/mend').filter(({ event }) => event.data.orderNumber === 'MEND-1')
    assert.ok(ids.length >= 2)
    assert.equal(new Set(ids.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a delivery shows the sent bytes and its timing, and verifies its signature in the page', async () => {
    receiver.answer('/detail', () => ({
      status: 201,
      headers: { 'x-receiver': '<b>bold</b>' },
      body: '{"price":1.50}',
    }))
    const id = await register('/detail')
    await site.push([paidNow(site.location, 502, 'WHOLE-1')])
    const [receipt] = await receiver.waitFor('/detail', 1)
    assert.ok(receipt)
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/webhooks/${id}`)
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'order.paid' }).click()
    const detail = page.getByRole('dialog', { name: 'Delivery' })
    const body = detail.getByRole('region', { name: 'Request body' })
    await body.waitFor()
    assert.deepEqual(JSON.parse(await body.getByRole('tree').innerText()), receipt.event)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await detail.getByRole('button', { name: 'Copy', exact: true }).nth(1).click()
    await detail.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), receipt.body.toString(), 'byte for byte')
    assert.equal(await detail.getByRole('region', { name: 'Response headers' }).locator('b b').count(), 0)
    assert.match(await detail.getByRole('region', { name: 'Response headers' }).innerText(), /<b>bold<\/b>/)
    assert.match(await detail.getByRole('region', { name: 'Response body' }).innerText(), /1\.50/)
    for (const phase of ['Connection', 'Waiting', 'Body', 'Total']) {
      await detail.getByText(phase, { exact: true }).first().waitFor()
    }
    // The response is shown before the request.
    const heads = await detail.getByRole('heading', { level: 3 }).allInnerTexts()
    assert.ok(heads.indexOf('Response') < heads.indexOf('Request'), heads.join())
    // The copy for a terminal has a valid signature: a receiver accepts it.
    await detail.getByRole('button', { name: 'Copy the request as curl' }).click()
    // Both buttons may have this name: the one pressed before keeps it for a moment.
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await eventually(async () => (await clipboard()).startsWith('curl'), 'the request is copied')
    const copied = await clipboard()
    await promisify(execFile)('bash', ['-c', copied])
    const [, again] = await receiver.waitFor('/detail', 2)
    const { secret } = await site.get(`/v1/webhooks/${id}/secret`)
    assert.ok(again)
    new StandardWebhook(secret).verify(again.body.toString(), again.headers as Record<string, string>)
    assert.ok(again.body.equals(receipt.body))
    // The log removes the signature; the page calculates a valid one and checks the one that the receiver was sent.
    const given = String(receipt.headers['webhook-signature'])
    const verify = detail.getByRole('button', { name: 'Verify', exact: true })
    await verify.click()
    await detail.getByRole('status').getByText(given).waitFor()
    await detail.getByLabel('webhook-signature').fill(given)
    await verify.click()
    await detail.getByText('The signature matches: this secret signed exactly this body.').waitFor()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.postData() ?? request.url()))
    await detail.getByLabel('Secret').fill(`whsec_${Buffer.from('another one, of 24 bytes').toString('base64')}`)
    await verify.click()
    await detail.getByText('The signature does not match this secret.').waitFor()
    assert.ok(!requests.some((text) => text.includes('whsec_')), 'a secret that was pasted stays in the page')
    await detail.getByRole('link', { name: 'The order, as of this version' }).click()
    await page.getByRole('heading', { name: 'Order WHOLE-1' }).waitFor()
    assert.match(page.url(), /version=\d+/)
    // The webhook is found by a part of its URL.
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Search' }).getByRole('searchbox').fill('/detail')
    await page.getByRole('button', { name: `Webhook ${receiver.url('/detail')}` }).click()
    await page.waitForURL(new RegExp(`/webhooks/${id}$`))
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a replay shows its number of events, sends that many, and can have an end and event types', async () => {
    const id = await register('/again', ['order.paid', 'order.created'])
    const from = (await site.get('/v1/journal/head')).sequence as number
    await site.push([1, 2, 3, 4].map((n) => paidNow(site.location, 510 + n, `AGAIN-${n}`)))
    await receiver.waitFor('/again', 8)
    await receiver.until(() => receiver.at('/again').every(({ status }) => status === 200), 'all were answered')
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/webhooks/${id}`)
    await page.getByRole('button', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay' })
    await dialog.getByRole('spinbutton', { name: 'Journal number', exact: true }).fill(String(from + 1))
    await dialog.getByLabel('Up to journal number').fill(String(from + 3))
    await dialog.getByText('Only some events').click()
    await dialog.getByLabel('order.paid').check()
    const before = receiver.at('/again').length
    await dialog.getByRole('button', { name: 'Count first' }).click()
    await dialog.getByText('3 events will be sent.').waitFor()
    assert.equal(receiver.at('/again').length, before, 'counting sends nothing')
    await dialog.getByRole('button', { name: 'Send 3 events' }).click()
    await dialog.getByText('The replay has started.').waitFor()
    await receiver.waitFor('/again', before + 3)
    const again = receiver.at('/again').slice(before)
    assert.deepEqual(
      again.map(({ event }) => `${event.type} ${event.data.orderNumber}`).toSorted(),
      [1, 2, 3].map((n) => `order.paid AGAIN-${n}`),
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a disabled one shows why and continues where it stopped; its secret is copied without display, and a new one also signs', async () => {
    const id = await register('/ended')
    await disableWebhook(site.pool, { locationId: site.location, id }, { reason: 'gone', at: new Date() })
    await site.push([paidNow(site.location, 551, 'ENDED-1')])
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, `/webhooks/${id}`)
    await page.getByText('Disabled: the receiver answered 410 Gone.').waitFor()
    await page.getByRole('button', { name: 'Enable' }).click()
    const [receipt] = await receiver.waitFor('/ended', 1)
    assert.equal(receipt?.event.data.orderNumber, 'ENDED-1')
    await page.getByText('Disabled:').waitFor({ state: 'detached' })

    // Only an operator can enable a webhook that an operator disabled, which the screen tells all other users.
    const stopped = await register('/stopped')
    await disableWebhook(site.pool, { locationId: site.location, id: stopped }, { reason: 'operator', at: new Date() })
    await goTo(page, site, `/webhooks/${stopped}`)
    await page.getByText('Only the operator can enable it.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Enable' }).count(), 0)
    const operator = await visitAsOperator(browser, site)
    await goTo(operator.page, site, `/webhooks/${stopped}?location=${site.location}`)
    await operator.page.getByRole('button', { name: 'Enable' }).click()
    await operator.page.getByText('Disabled:').waitFor({ state: 'detached' })
    await operator.context.close()
    await goTo(page, site, `/webhooks/${id}`)

    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Secret' }).click()
    const dialog = page.getByRole('dialog', { name: 'Secret' })
    const copied = async () => {
      await page.evaluate('navigator.clipboard.writeText("")')
      await dialog.getByRole('button', { name: /^(Copy the secret|Copied)$/ }).click()
      await eventually(async () => (await page.evaluate('navigator.clipboard.readText()')) !== '', 'it was copied')
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    const first = await copied()
    assert.match(first, /^whsec_/)
    await dialog.getByRole('button', { name: 'New secret …' }).click()
    await dialog.getByRole('button', { name: 'Create a new secret' }).click()
    await dialog.getByText('The new secret is in use.').waitFor()
    const second = await copied()
    assert.notEqual(second, first)
    const html = await page.content()
    for (const secret of [first, second]) assert.ok(!html.includes(secret), 'it is not shown')
    await site.push([paidNow(site.location, 552, 'ENDED-2')])
    const receipts = await receiver.waitFor('/ended', 2)
    assert.equal(String(receipts.at(-1)?.headers['webhook-signature']).split(' ').length, 2, 'both sign')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('failures are grouped by cause over the whole log, for the selected events and days, and lead to the latest', async () => {
    // The next event of an order waits until the one before was accepted.
    receiver.answer('/groups', ({ event: { type, data } }) => ({
      status: type === 'order.paid' ? 403 : data.orderNumber === 'GROUP-1' ? 500 : 200,
    }))
    const id = await register('/groups', ['order.paid', 'order.created'])
    await site.push([paidNow(site.location, 541, 'GROUP-1'), paidNow(site.location, 542, 'GROUP-2')])
    const groups = async (query = '') => (await site.get(`/v1/webhooks/${id}/failures${query}`)).data
    await eventually(async () => (await groups()).length === 2, 'both have failed')
    await disableWebhook(site.pool, { locationId: site.location, id }, { reason: 'operator', at: new Date() })
    const { context, page, findings } = await visitAs(browser, site)
    const marks = async (query: string) => {
      await goTo(page, site, `/webhooks/${id}${query}`)
      return page.getByLabel('Failures by cause').getByRole('listitem').locator('[class*=mark]').allInnerTexts()
    }
    const asMarks = (found: any[]) => found.map(({ count, status }) => `${count} × http ${status}`)
    assert.deepEqual(await marks(''), asMarks(await groups()))
    assert.deepEqual(await marks('?event=order.paid'), asMarks(await groups('?event=order.paid')))
    assert.equal((await marks('?event=order.paid')).length, 1)
    assert.deepEqual(await marks('?since=2026-01-01&until=2026-01-02'), [])
    assert.deepEqual(await marks('?outcome=success'), [])
    const { keptDays } = (await site.get(`/v1/webhooks/${id}/deliveries`)).meta
    await page.locator('#main').getByText(`${keptDays} days`).waitFor()
    const [{ status, lastDeliveryId }] = await groups('?event=order.paid')
    await marks('?event=order.paid')
    await page.getByRole('link', { name: 'Show the last one' }).click()
    await page.waitForURL((url) => url.searchParams.get('delivery') === lastDeliveryId)
    await page.getByRole('dialog', { name: 'Delivery' }).getByText(String(status)).first().waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('a failing one shows the same time of its next attempt everywhere, and retries at once on request', async () => {
    const answers = { status: 500 }
    receiver.answer('/clock', () => answers)
    const id = await register('/clock')
    await site.push([1, 2, 3, 4, 5, 6].map((n) => paidNow(site.location, 560 + n, `CLOCK-${n}`)))
    const status = () => site.get(`/v1/webhooks/${id}/status`)
    const attempts = async () =>
      (await site.get(`/v1/webhooks/${id}/deliveries?size=100`)).data as {
        id: string
        messageId: string
        attempt: number
      }[]
    // After five failures in a row a single event is tried, to find out whether the receiver works again: half a minute
    // later.
    await eventually(
      async () => (await status()).state === 'failing' && (await attempts()).some(({ attempt }) => attempt === 2),
      'it is failing, and one event was tried again',
    )
    // For a different event, the log states that the event would be retried seconds after its failure.
    const [waiting] = [...Map.groupBy(await attempts(), ({ messageId }) => messageId).values()]
      .filter(({ length }) => length === 1)
      .flat()
    assert.ok(waiting)
    const { context, page, findings } = await visitAs(browser, site)
    const screen = page.locator('#main')
    const dialog = page.getByRole('dialog')
    const factIn = (where: Locator) =>
      where
        .locator('dl > div')
        .filter({ has: page.getByText('Next attempt', { exact: true }) })
        .locator('time')
    /** Checks that every displayed time equals the time in the API, which does not change. */
    const tellsIt = async (what: string, times: Locator) => {
      let message = ''
      await eventually(async () => {
        const { nextAttemptAt } = await status()
        const shown = await times.evaluateAll((all) => all.map((one) => one.getAttribute('datetime')))
        message = `${what}: ${shown.join()} where the webhook is tried next at ${nextAttemptAt}`
        return shown.length > 0 && shown.every((one) => one === nextAttemptAt)
      }, what).catch(() => assert.fail(message))
    }
    await goTo(page, site, `/webhooks/${id}`)
    await tellsIt('its status', factIn(screen))
    const isInSentence = async () => {
      const at = (await factIn(screen).innerText()).replaceAll('\u00a0', ' ')
      return (await screen.innerText()).replaceAll('\u00a0', ' ').includes(`the next attempt is at ${at}`)
    }
    await eventually(isInSentence, 'its sentence has the same time')
    await goTo(page, site, `/webhooks/${id}?delivery=${waiting.id}`)
    await tellsIt('a delivery', factIn(dialog))
    await goTo(page, site, `/webhooks/${id}?dialog=pending`)
    await tellsIt('what is set aside', dialog.locator('[data-row] time'))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // The webhook is not disabled, so there is nothing to enable.
    assert.equal(await screen.getByRole('button', { name: 'Enable' }).count(), 0)
    answers.status = 200
    await screen.getByRole('button', { name: 'Try now' }).click()
    const taken = () => receiver.at('/clock').filter((receipt) => receipt.status === 200)
    await receiver.until(() => new Set(taken().map(({ event }) => event.id)).size === 6, 'all six are taken')
    assert.deepEqual(findings, [])
    await context.close()
  })
})
