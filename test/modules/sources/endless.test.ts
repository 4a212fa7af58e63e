import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { addLocation } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { VirtualClock, type FakeServer } from './faults.ts'
import { pollOf } from './polled.ts'

const { pool } = await createDatabase()

/** Makes page `n` of a system whose pages never end: elements and, except for Toast, a reference to the next page. */
type Page = (body: any, n: number) => object
type System = { adapter: string; page: Page; login?: object }

const text = (of: string) => of.padEnd(200, 'x')

const systems: System[] = [
  {
    adapter: 'toast',
    login: { token: { accessToken: 'token-of-a-login' } },
    page: () => Array.from({ length: 100 }, (_, i) => ({ guid: `g${i}`, note: text('') })),
  },
  {
    adapter: 'loyverse',
    page: (_, n) => ({ receipts: [{ receipt_number: `${n}`, note: text('') }], shifts: [], cursor: `c${n}` }),
  },
  {
    adapter: 'lightspeed-k',
    page: (_, n) => ({ sales: [{ accountFiscId: `${n}`, note: text('') }], nextPageToken: `c${n}` }),
  },
  {
    adapter: 'square',
    page: (body, n) => ({
      orders: [{ id: `${n}`, updated_at: body?.query?.filter?.date_time_filter?.updated_at?.start_at }],
      cursor: `c${n}`,
    }),
  },
  { adapter: 'sumup', page: (_, n) => ({ items: [{ id: `${n}` }], next: `c${n}` }) },
]

async function poll({ adapter, page, login }: System) {
  const clock = new VirtualClock('2026-11-01T12:00:00.000Z')
  let requests = 0
  const answer = (response: ServerResponse, of: object) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(of))
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (login && request.url?.includes('login')) return answer(response, login)
      requests += 1
      const sent = Buffer.concat(parts).toString()
      return answer(response, page(sent === '' ? undefined : JSON.parse(sent), requests))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake = { url, token: 'user:secret', rotated: () => {} } as unknown as FakeServer
  const locationId = await addLocation(pool, undefined, { currency: 'GBP', timeZone: 'Europe/London' })
  const polled = await pollOf(pool, { adapter, account: 'A', locationId, fake, clock, seed: 1 })
  atEnd(async () => {
    await polled.close()
    server.close()
  })
  const end = await polled.runWhole()
  return { end, requests: () => requests, polled }
}

for (const system of systems)
  test(`${system.adapter}: endless pages are an error after a bounded number of them`, async () => {
    const { end, requests } = await poll(system)
    assert.equal(end.kind, 'failed', JSON.stringify(end))
    assert.match((end as { error: string }).error, /do not end|more sales than fit on a page/)
    assert.ok(requests() < 700, `${requests()} requests`)
  })

test('a repeated cursor ends the run at once', async () => {
  const same = systems.filter(({ adapter }) => ['loyverse', 'lightspeed-k', 'square'].includes(adapter))
  for (const { adapter, page } of same) {
    const { end, requests } = await poll({ adapter, page: (body) => page(body, 1) })
    assert.match((end as { error: string }).error, /do not end/, adapter)
    assert.ok(requests() <= 40, `${adapter}: ${requests()} requests`)
  }
})

test('a cycle of cursors ends the run, too', async () => {
  const { end, requests } = await poll({
    adapter: 'lightspeed-k',
    page: (_, n) => ({ sales: [{ accountFiscId: `${n}` }], nextPageToken: `c${n % 7}` }),
  })
  assert.match((end as { error: string }).error, /do not end/)
  assert.ok(requests() <= 8, `${requests()} requests`)
})

test('data that cannot be stored in parts is limited to 64 MiB, whatever the size of a page', async () => {
  const large = 'x'.repeat(6 * 2 ** 20)
  const { end, requests } = await poll({
    adapter: 'lightspeed-k',
    page: (_, n) => ({ sales: [{ accountFiscId: `${n}`, note: large }], nextPageToken: `c${n}` }),
  })
  assert.match((end as { error: string }).error, /exceed 64 MiB/)
  assert.equal(requests(), 11)
})

test('a run that reached its limit and stored its data continues at once in the next one', async () => {
  const { polled } = await poll({
    adapter: 'lightspeed-k',
    page: () => ({ sales: [] }),
  })
  await pool`update sources set due_at = created_at, cursor = null, reread_at = null where id = ${polled.source.id}`
  polled.deps.spending = { requests: 2 }
  const end = await polled.runWhole()
  assert.deepEqual([end.kind, (end as { dueAt?: Date }).dueAt?.getTime()], ['done', polled.deps.clock().getTime()])
  const { cursor, rereadAt, failures } = await polled.find()
  assert.ok(cursor !== null && rereadAt !== undefined)
  assert.equal(failures, 0)
})
