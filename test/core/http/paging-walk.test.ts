import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tillgate } from '../../../client/src/client.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { idOf, order, smallOrderOf, timeOf } from '../../support/records.ts'
import { linksOf } from '../conformance/contract.ts'

const app = await startApp()
const count = 60

type State = 'closed' | 'open' | 'canceled'

/** Returns order `n`, created after those with lower numbers; its version is newer by `later` seconds. */
const orderIn = (locationId: string, n: number, state: State, later = 0) =>
  order(
    smallOrderOf(locationId, n, {
      createdAt: timeOf(n),
      updatedAt: new Date(Date.parse(timeOf(n)) + later * 1000).toISOString(),
      ...(state === 'open' && { closedAt: null }),
      ...(state === 'canceled' && { isCanceled: true }),
    }),
  )

/** Reads page by page, and calls a function after each page. Resolves to the ids. */
async function walk(path: string, key: string, meanwhile: (page: number) => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  for (let at: string | null = path, page = 0; at !== null; page++) {
    const answer: Answer = await app.get(at, { key })
    assert.equal(answer.status, 200, answer.text)
    seen.push(...answer.json.data.map(({ id }: { id: string }) => id))
    const { next } = linksOf(answer)
    if (answer.json.links !== undefined) assert.equal(answer.json.links.next, next ?? null)
    at = next === undefined ? null : next.slice(app.url.length)
    if (at !== null) await meanwhile(page)
  }
  return seen
}

// The query of each walk, the initial state of the orders, and the state that a third of them get during the walk.
const walks: { query: string; from: State; to: State }[] = [
  { query: 'size=7', from: 'closed', to: 'closed' },
  { query: 'size=7&sort=-createdAt', from: 'closed', to: 'closed' },
  { query: 'size=7&state=open', from: 'open', to: 'closed' },
  { query: 'size=7&state=open&sort=-createdAt', from: 'open', to: 'closed' },
  { query: 'size=7&isCanceled=false', from: 'closed', to: 'canceled' },
  { query: 'size=7&isCanceled=false&sort=-createdAt', from: 'closed', to: 'canceled' },
]

for (const { query, from, to } of walks)
  test(`a walk by links.next with ${query} sees each order once while others arrive late, close and are canceled`, async () => {
    const site = await app.addLocation()
    const initial = Array.from({ length: count }, (_, n) => 10 * (n + 1))
    await app.store(
      initial.map((n) => orderIn(site.id, n, from)),
      site.key,
    )
    const changing = initial.filter((_, i) => i % 3 === 0)
    let changed = 0
    let late = 0
    const seen = await walk(`/v1/orders/?${query}`, site.key, async () => {
      // Late orders are at both ends of the list, and between the others.
      const records = Array.from({ length: 15 }, () =>
        orderIn(site.id, 10 * ((late * 37) % (count + 1)) + 1 + (late++ % 9), from),
      )
      const turned = changing.slice(changed, (changed += 5)).map((n) => orderIn(site.id, n, to, 1))
      const { status, json } = await app.push([...records, ...turned], { key: site.key })
      assert.equal(status, 200, JSON.stringify(json))
    })
    assert.ok(late >= 90, `${late} orders came in meanwhile`)
    assert.equal(new Set(seen).size, seen.length, 'an order was repeated')
    const staying = initial.filter((n) => from === to || !changing.includes(n)).map((n) => idOf('order', n))
    assert.deepEqual(
      staying.filter((id) => !seen.includes(id)),
      [],
      'orders were missed',
    )
  })

test('the client pages in the same way', async () => {
  const site = await app.addLocation()
  await app.store(
    Array.from({ length: 25 }, (_, n) => orderIn(site.id, 10 + n, 'closed')),
    site.key,
  )
  const client = new Tillgate({ url: app.url, key: site.key })
  const seen: string[] = []
  for await (const page of client.orders({ size: 10 }).pages()) {
    seen.push(...page.data.map(({ id }) => id))
    // The new order precedes all others, so that pages by index would repeat the last order.
    await app.store([orderIn(site.id, seen.length === 10 ? 1 : 2, 'closed')], site.key)
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, n) => idOf('order', 10 + n)),
  )
})

test('a cursor that no link contained is refused by name', async () => {
  for (const after of ['', 'x', '1_2', '99999999999999999_7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11']) {
    const { status, json } = await app.get(`/v1/reports/?after=${after}`)
    assert.equal(status, 400)
    assert.match(json.detail, /after must be the value from a `next` link of this list/)
  }
})
