import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { goTo, noChromium, openConsole, overflowOf, visitAs } from '../support/console.ts'
import { everyScreen, knownOf, withIds } from '../support/console-screens.ts'
import { hostile } from '../support/hostile.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 8, kind: 'hostile' })

describe('a hostile restaurant in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  // What a receiver answers is written by others too.
  receiver.answer('/hostile', () => ({
    status: 500,
    headers: { 'x-markup': '<img src=x onerror=alert(1)>', 'content-type': 'text/html' },
    body: `${hostile.join('\n')}${'x'.repeat(1_000_000)}`,
  }))
  const known = knownOf(site, receiver.url('/hostile'))

  for (const width of [1280, 320]) {
    test(`is shown as text on each screen at ${width}: nothing runs, nothing overflows, nothing is lost`, async () => {
      const { context, page, findings } = await visitAs(browser, site, { viewport: { width, height: 800 } })
      let dialogs = 0
      page.on('dialog', (dialog) => {
        dialogs += 1
        void dialog.dismiss()
      })
      for (const path of everyScreen) {
        await goTo(page, site, withIds(path, await known))
        assert.equal(await overflowOf(page), 0, path)
        assert.equal(await page.evaluate('globalThis.ran'), undefined, path)
        const foreign = page
          .locator('main, [role=dialog]')
          .locator('img, script, iframe, object, a[href^="javascript:" i]')
        assert.equal(await foreign.count(), 0, path)
        assert.equal(
          await page.evaluate(`/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)`),
          false,
          path,
        )
      }
      assert.equal(dialogs, 0)
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('keeps its words: what is spelled out on the screen is copied as it was sent', async () => {
    const { ORDER, WEBHOOK, DELIVERY } = await known
    const { context, page } = await visitAs(browser, site)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await goTo(page, site, `/orders/${ORDER}`)
    await page.locator('#main').getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.deepEqual(JSON.parse(copied), await site.get(`/v1/orders/${ORDER}`))
    await goTo(page, site, `/webhooks/${WEBHOOK}?delivery=${DELIVERY}`)
    const answer = await page.getByRole('region', { name: 'Body of the response' }).innerText()
    assert.ok(answer.includes('<script>globalThis.ran=1</script>'))
    assert.ok(answer.includes('⟨202E⟩'))
    await context.close()
  })
})
