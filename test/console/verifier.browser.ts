import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createKeyFile, SigningKey } from '../../src/projections/signing-key.ts'
import { startApp } from '../support/app.ts'
import { soldOn } from '../support/books-site.ts'
import { findChromium, launch, noChromium } from '../support/console.ts'
import { idOf, order } from '../support/records.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-verifier-'))
createKeyFile(join(dir, 'key.pem'))
const signing = { signer: new SigningKey(join(dir, 'key.pem')), logName: 'tillgate.example' }
const app = await startApp({ signing })
const site = { id: app.location, key: app.key }

const executablePath = findChromium()
const skip = executablePath === undefined ? noChromium : false

test(
  'the page verifies a ticket from the server and, saved, from disk without a network; a changed byte is found',
  { skip },
  async () => {
    await app.store([1, 2, 3].map((n) => order(soldOn(site, 2, n))))
    const { keys } = (await app.request('POST', '/v1/checkpoints/')).json
    const proof = (await app.get(`/v1/orders/${idOf('order', 202)}/proof`)).text
    const saved = join(dir, 'verify.html')
    const page = await app.get('/docs/verify', { key: null })
    assert.match(
      String(page.headers['content-security-policy']),
      /default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'sha256-/,
    )
    writeFileSync(saved, page.text)
    const browser = await launch(executablePath as string)
    try {
      for (const url of [`${app.url}/docs/verify`, pathToFileURL(saved).href]) {
        const context = await browser.newContext({ offline: url.startsWith('file:') })
        const tab = await context.newPage()
        await tab.goto(url)
        const verify = async (text: string) => {
          await tab.fill('#key', keys[0])
          await tab.fill('#text', text)
          await tab.click('button')
          await tab.waitForFunction(`document.querySelector('#result').textContent !== ''`)
          return tab.textContent('#result')
        }
        assert.match((await verify(proof)) ?? '', new RegExp(`^Verified.*order ${idOf('order', 202)}`, 's'), url)
        await tab.evaluate(`document.querySelector('#result').textContent = ''`)
        const at = proof.indexOf('index') + 12
        const changed = proof.slice(0, at) + (proof[at] === 'A' ? 'B' : 'A') + proof.slice(at + 1)
        assert.match((await verify(changed)) ?? '', /^NOT VERIFIED/, url)
        await context.close()
      }
    } finally {
      await browser.close()
    }
  },
)
