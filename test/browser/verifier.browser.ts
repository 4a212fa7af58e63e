import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createKeyFile, SigningKey } from '../../src/modules/proofs/projections/signing-key.ts'
import { zipSync } from 'fflate'
import { startApp } from '../support/app.ts'
import { Forged, forgeries } from '../support/archive-forgeries.ts'
import { archivedYears, readFiles, unpackZip, type Files } from '../support/archived-years.ts'
import { getLocation, writeYear } from '../../src/modules/exports/cli/archive.ts'
import { closeDue } from '../../src/modules/proofs/projections/closings.ts'
import { makeCheckpoint } from '../../src/modules/proofs/projections/checkpoints.ts'
import { date, soldOn, storeDays } from '../support/books-site.ts'
import { launch, noChromium } from '../support/console.ts'
import { findChromium } from '../support/console-build.ts'
import { forgedProofs, proofKey, proofOf } from '../support/forged-proofs.ts'
import { idOf, order } from '../support/records.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-verifier-'))
createKeyFile(join(dir, 'key.pem'))
const signing = { signer: new SigningKey(join(dir, 'key.pem')), logName: 'tillgate.example' }
const app = await startApp({ signing, clock: () => new Date('2026-03-31T12:00:00.000Z') })
const site = { id: app.location, key: app.key }

const executablePath = findChromium()
const skip = executablePath === undefined ? noChromium : false

test(
  'the page verifies a ticket from the server and, saved, from disk without a network, and finds a changed byte',
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

test(
  'the page verifies the archive of a year from disk, without a network, and names the changed file',
  { skip },
  async () => {
    const other = await app.addLocation()
    await app.pool`update locations set fiscal_year_starts = '04-01' where id = ${other.id}`
    await storeDays(app, other, { 2: [soldOn(other, 2, 1), soldOn(other, 2, 2)] })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ until: date(2), after: 0 })
    await app.request('POST', '/v1/closings/', { key: other.key, headers, body })
    const now = new Date('2026-04-02T20:00:00.000Z')
    assert.deepEqual(
      (await closeDue(app.pool, other.id, now)).map(({ closing }) => closing.period),
      ['month', 'year'],
    )
    const signed = await makeCheckpoint(app.pool, other.id, { ...signing, now })
    const zip = join(dir, 'archive.zip')
    const location = await getLocation(app.pool, other.id)
    await writeYear(
      app.pool,
      { location, year: 2025 },
      { out: zip, encrypter: undefined, keyPath: join(dir, 'key.pem') },
    )
    const saved = join(dir, 'verify-archive.html')
    writeFileSync(saved, (await app.get('/docs/verify', { key: null })).text)
    const bytes = readFileSync(zip)
    const name = bytes.indexOf('LISEZ-MOI.txt')
    // The packed text begins after the name; the directory of the ZIP is unchanged.
    bytes[name + 200] = (bytes[name + 200] as number) ^ 1
    writeFileSync(join(dir, 'changed.zip'), bytes)
    const browser = await launch(executablePath as string)
    try {
      const tab = await (await browser.newContext({ offline: true })).newPage()
      await tab.goto(pathToFileURL(saved).href)
      const verify = async (file: string, key: string) => {
        await tab.evaluate(`document.querySelector('#result').textContent = ''`)
        await tab.fill('#key', key)
        await tab.setInputFiles('#file', file)
        await tab.click('button')
        await tab.waitForFunction(`document.querySelector('#result').textContent !== ''`)
        return (await tab.textContent('#result')) ?? ''
      }
      const key = signed?.checkpoint.keys[0] as string
      assert.match(
        await verify(zip, key),
        /^Verified.*fiscal year 2025: .* signed as tillgate\.example.* and so is the manifest/s,
      )
      assert.match(await verify(zip, ''), /^Verified.*no key was given/s)
      assert.match(
        await verify(join(dir, 'changed.zip'), key),
        /^NOT VERIFIED.*LISEZ-MOI\.txt (is damaged|was changed)/s,
      )
    } finally {
      await browser.close()
    }
  },
)

test(
  'the page refuses every forged archive or proof, names what is wrong, and is green only for data that a key signed',
  { skip },
  async () => {
    const { zips, key, site: of, app: server, folder } = await archivedYears()
    const [first, second] = zips.map((zip) => readFiles(unpackZip(zip, `${zip}.unpacked`))) as [Files, Files]
    const growths = new Map<number, string>()
    for (let size = 1; size < 26; size++)
      growths.set(size, (await server.get(`/v1/checkpoints/consistency?from=${size}`, { key: of.key })).text)
    const saved = join(folder, 'verify.html')
    writeFileSync(saved, (await server.get('/docs/verify', { key: null })).text)
    const browser = await launch(executablePath as string)
    try {
      const tab = await (await browser.newContext({ offline: true })).newPage()
      await tab.goto(pathToFileURL(saved).href)
      const press = async (verifierKey: string) => {
        await tab.evaluate(`document.querySelector('#result').textContent = ''`)
        await tab.fill('#key', verifierKey)
        await tab.click('button')
        await tab.waitForFunction(`document.querySelector('#result').textContent !== ''`)
        const result = tab.locator('#result')
        return { text: (await result.textContent()) ?? '', look: await result.getAttribute('class') }
      }
      const verify = async (zip: string, verifierKey = key) => {
        await tab.setInputFiles('#file', zip)
        return press(verifierKey)
      }
      const wrong: string[] = []
      const expect = (name: string, { text, look }: { text: string; look: string | null }, says: RegExp) => {
        if (look !== 'bad' || !text.startsWith('NOT VERIFIED') || !says.test(text)) wrong.push(`${name}: ${text}`)
      }
      for (const [i, forgery] of forgeries.entries()) {
        const [own, other] = forgery.year === 2026 ? [second, first] : [first, second]
        const forged = new Forged(own, other, (size) => growths.get(size) ?? '')
        forgery.change(forged)
        if (forgery.seal) forgery.seal(forged)
        else forged.seal()
        const zip = join(folder, `forged-${i}.zip`)
        writeFileSync(zip, zipSync(Object.fromEntries(forged.files), { level: 0 }))
        expect(forgery.name, await verify(zip), forgery.says)
      }
      const honest = await verify(zips[0])
      assert.deepEqual([honest.look, honest.text.includes('not checked: whether tables')], ['good', true], honest.text)
      assert.equal((await verify(zips[0], '')).look, 'part')
      const bare = new Forged(first, second, () => '')
      bare.seal()
      writeFileSync(join(folder, 'bare.zip'), zipSync(Object.fromEntries(bare.files)))
      await tab.check('#unsigned')
      const unsigned = await verify(join(folder, 'bare.zip'))
      assert.deepEqual([unsigned.look, unsigned.text.includes('not checked: whether batches')], ['part', true])
      await tab.setInputFiles('#file', [])
      for (const [name, proof, says] of forgedProofs) {
        await tab.fill('#text', proof)
        expect(name, await press(proofKey), says)
      }
      await tab.fill('#text', proofOf())
      assert.equal((await press(proofKey)).look, 'good')
      assert.deepEqual(wrong, [])
    } finally {
      await browser.close()
    }
  },
)
