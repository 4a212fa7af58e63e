import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BookBatch } from '../../../../src/modules/books/schemas/books.ts'
import { findBooksFault } from '../../../../src/modules/books/store/batches.ts'
import { addKey, addLocation } from '../../../support/app.ts'
import { date, soldOn, zOn } from '../../../support/books-site.ts'
import { serve, stop, toUrl } from '../../../support/cli.ts'
import { createDatabase } from '../../../support/database.ts'
import { linesOf, order, report } from '../../../support/records.ts'

/** `npm run check -- endurance` runs three times as many. */
const rounds = Number(process.env['TILLGATE_KILL_ROUNDS'] ?? 4)

test('a server that is killed while it issues a batch neither repeats nor skips a number', async () => {
  const { pool, connection } = await createDatabase()
  const id = await addLocation(pool)
  const { key } = await addKey(pool, id)
  const site = { id, key }
  const args = ['--port', '0', '--rate-limit', '0', '--json']
  const env = { DATABASE_URL: toUrl(connection) }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  let [last, answered] = [0, 0]
  for (let round = 1; round <= rounds; round++) {
    const served = await serve(args, { env })
    const orders = Array.from({ length: round * 3 }, (_, n) => soldOn(site, 2, n + 1))
    const updatedAt = new Date(Date.parse(`${date(2)}T23:00:00.000Z`) + round * 1_000).toISOString()
    const pushed = await fetch(`${served.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
      body: linesOf([...orders.map(order), report(zOn(site, 2, orders, { updatedAt }))]),
    })
    assert.equal(pushed.status, 200)
    const body = JSON.stringify({ until: date(10), after: last, skip: true })
    const ask = (url: string) => fetch(`${url}/v1/books/batches/`, { method: 'POST', headers, body })
    const first = ask(served.url).then(
      ({ status }) => status,
      () => 0,
    )
    await delay(round * 7)
    await stop(served, 'SIGKILL')
    if ((await first) === 201) answered += 1
    // A caller without a response repeats the request with the same number: it is issued now, or was before.
    const again = await serve(args, { env })
    const answer = await ask(again.url)
    assert.ok(answer.status === 201 || answer.status === 409, `${answer.status}: ${await answer.text()}`)
    last += 1
    await stop(again)
  }
  const [batches] = await pool<{ n: number; documents: string[] }[]>`
    select count(*)::int as n, array_agg(document order by seq) as documents from journal
    where location_id = ${id} and kind = 'batch'`
  assert.equal(batches?.n, last, `${answered} were answered`)
  const numbers = (batches?.documents ?? [])
    .flatMap((document) => (JSON.parse(document) as BookBatch).entries)
    .map(({ number }) => number)
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => `CA-2026-${String(i + 1).padStart(6, '0')}`),
  )
  assert.equal(await findBooksFault(pool, id), undefined)
})
