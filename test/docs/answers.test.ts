import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announceDays } from '../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../src/modules/figures/projections/projection.ts'
import { startApp } from '../support/app.ts'
import { blocksOf, fits } from '../support/guide-blocks.ts'

const now = new Date('2026-03-15T09:00:00.000Z')
const app = await startApp({ clock: () => now })
const site = await app.addLocation()

/** The order and the report of docs/contract/ingest.md, which the responses on other pages show. */
const records = (blocksOf('docs/contract/ingest.md').find(({ text }) => text.includes('"type":"report"'))?.text ?? '')
  .replaceAll('272461e9-4fd9-5db0-b95b-cc91735b6bf6', site.id)
  .split(/\n(?=\{)/)
  .map((record) => JSON.parse(record))
await app.store(records, site.key)
while ((await stepProjection(app.pool, daysProjection, site.id)) === 'behind');
await announceDays(app.pool, site.id, now)

for (const page of [
  'modules/figures',
  'modules/books',
  'modules/e-reporting',
  'modules/tables',
  'contract/webhooks',
  'contract/journal',
].map((name) => `docs/${name}.md`)) {
  const shown = blocksOf(page).filter(({ role }) => role.startsWith('answer to '))
  assert.ok(shown.length > 0, page)
  for (const { role, text, line } of shown) {
    const path = role.slice('answer to '.length)
    test(`${page} shows at ${line} the answer of GET ${path}`, async () => {
      const answer = await app.get(path, { key: site.key })
      assert.equal(answer.status, 200, answer.text)
      assert.ok(fits(text, answer.text), answer.text)
    })
  }
}
