import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { noChromium, openConsole, visitAs } from '../support/console.ts'
import { atEnd } from '../support/database.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

describe(
  'another page in the browser of a signed-in user of the console',
  { skip: parts === undefined && noChromium },
  () => {
    if (parts === undefined) return
    const { site, browser } = parts

    /** Serves a page of another origin on the same machine. It is the same site, so the browser sends it the cookie. */
    const elsewhere = async (html: string): Promise<string> => {
      const server = createServer((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end(html))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      atEnd(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    }

    test('cannot show the console in a frame', async () => {
      const { context, page } = await visitAs(browser, site)
      await page.goto(await elsewhere(`<iframe src="${site.url}/console/today"></iframe>`))
      const [, frame] = page.frames()
      assert.ok(frame)
      assert.equal(await frame.locator('#root, #main').count(), 0)
      assert.doesNotMatch(frame.url(), /\/console\//)
      await context.close()
    })

    test('cannot make it do anything by a form that the browser sends with the cookie', async () => {
      const { context, page } = await visitAs(browser, site)
      const action = `${site.url}/console/api/v1/journal/verifications`
      await page.goto(
        await elsewhere(
          `<form method="post" action="${action}" enctype="text/plain"><input name='{"full":true}'></form>`,
        ),
      )
      const [answer] = await Promise.all([
        page.waitForResponse(action),
        page.evaluate('document.querySelector("form").submit()'),
      ])
      assert.match((await answer.request().allHeaders())['cookie'] ?? '', /tillgate/, 'the cookie was sent')
      assert.equal(answer.status(), 403)
      assert.deepEqual((await site.get('/v1/journal/verifications/')).data, [])
      await context.close()
    })

    test('cannot read the session, not even the API reference on the same host', async () => {
      const { context, page } = await visitAs(browser, site)
      const read = `fetch('${site.url}/console/api/session', { credentials: 'include' }).then(({ status }) => status, () => 'refused')`
      for (const other of [`${site.url}/docs/`, await elsewhere('<p>')]) {
        await page.goto(other, { waitUntil: 'commit' })
        assert.equal(await page.evaluate(read), 'refused', other)
      }
      await page.goto(`${site.url}/console/today`)
      assert.equal(await page.evaluate(read), 401, 'a script without the secret of the page cannot')
      const asPage = `fetch('${site.url}/console/api/session', { headers: { 'tillgate-page': localStorage.getItem('tillgate-page') } }).then(({ status }) => status)`
      assert.equal(await page.evaluate(asPage), 200, 'the console itself can')
      await context.close()
    })
  },
)
