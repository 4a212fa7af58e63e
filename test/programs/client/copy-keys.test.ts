import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Tillgate, type CopyChange, type CopyKey, type FeedPosition } from '../../../client/src/index.ts'
import { startApp } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'

const app = await startApp()

type Sample = { type: string; sequence: number; data: Record<string, unknown> }

/** Serves a feed with the server’s own sample of every event, a second day and a later event. */
async function serveFeed(): Promise<{ url: string; events: Sample[] }> {
  const types = (await app.get('/v1/webhooks/event-types/')).json as { name: string; sample: Sample }[]
  const samples = types.map(({ sample }) => sample)
  const day = samples.find(({ type }) => type === 'day.completed') as Sample
  const all = [
    ...samples,
    { ...day, data: { ...day.data, date: '2026-03-15' } },
    { ...day, type: 'table.moved', data: {} },
  ]
  const events = all.map((event, i) => ({ ...event, sequence: i + 1 }))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const after = Number(searchParams.get('after') ?? 0)
    const head = events.length
    const feed = {
      data: events.filter(({ sequence }) => sequence > after),
      meta: { next: head, head, epoch: '5f0c21ab' },
    }
    const isFeed = pathname.endsWith('/events/')
    const list = { data: [], meta: { totalCount: 1, currentPageIndex: 0, totalPage: 1, pageSize: 1 } }
    response.setHeader('content-type', 'application/json').setHeader('tillgate-sequence', String(head))
    response.end(JSON.stringify(isFeed ? feed : list))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, events }
}

/** Returns the table for a key: it accepts every kind of the package's own type, and throws at any other. */
function tableOf({ kind }: CopyKey): string {
  switch (kind) {
    case 'order':
    case 'report':
    case 'location':
    case 'day':
    case 'accounts':
    case 'batch':
    case 'closing':
    case 'checkpoint':
    case 'webhook':
    case 'source':
    case 'catalog.products':
    case 'catalog.modifiers':
    case 'catalog.payments':
    case 'catalog.taxes':
      return kind
    default:
      throw new Error(`the type has no ${JSON.stringify(kind satisfies never)}`)
  }
}

test('every event has a key of its type, days by their date, and replaces no other resource', async () => {
  const { url, events } = await serveFeed()
  const rows = new Map<string, CopyChange>()
  let position: FeedPosition | undefined
  const result = await new Tillgate({ url, key: app.key }).sync({
    position: () => position,
    apply(changes, reached) {
      for (const change of changes) rows.set(`${tableOf(change.key)} ${change.key.id}`, change)
      position = reached
    },
    count: () => ({ order: 1, report: 1 }),
    clear: () => rows.clear(),
  })
  assert.equal(result.position.after, events.length)
  const id = (type: string) => events.find((event) => event.type === type)?.data['id'] as string
  assert.deepEqual(
    [...rows.keys()].toSorted(),
    [
      'accounts accounts',
      'batch 1',
      'catalog.modifiers catalog.modifiers',
      'catalog.payments catalog.payments',
      'catalog.products catalog.products',
      'catalog.taxes catalog.taxes',
      'day 2026-03-14',
      'day 2026-03-15',
      'checkpoint 48211',
      `closing ${id('closing.created')}`,
      `location ${id('location.updated')}`,
      `order ${id('order.created')}`,
      `report ${id('report.created')}`,
      `webhook ${id('webhook.disabled')}`,
      `source ${id('source.differs')}`,
    ].toSorted(),
  )
})
