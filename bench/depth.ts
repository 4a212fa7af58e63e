import { interleave, median, printTable, timed } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import { addSite, push, startServer, withDirectory, type Server, type Site } from './support/server.ts'

const rounds = 300

type Meta = { totalCount: number; totalPage: number }

async function get(server: Server, { key }: Site, query: string): Promise<{ data: unknown[]; meta: Meta }> {
  const response = await fetch(`${server.url}/v1/orders/?${query}`, { headers: { 'x-api-key': key } })
  if (response.status !== 200) throw new Error(`${query} answered ${response.status}`)
  return (await response.json()) as { data: unknown[]; meta: Meta }
}

/**
 * Does depth cost, does history cost? Pages of 100 of one location, in turn in one run: the first against the last and
 * against 95 % depth; and the same single day with its `totalCount`, at a location that has nothing else against one
 * that has years before it.
 */
export async function depth(orders = 200_000, perDay = 250): Promise<void> {
  await withDirectory(async (directory) => {
    const server = await startServer(directory)
    try {
      const [full, young] = [await addSite(server, 'Years of history'), await addSite(server, 'One day old')]
      const spread = { locationId: full.locationId, count: orders, perDay, from: '2020-01-01' }
      const seconds = (await timed(() => push(server, full, orderLines(spread)))) / 1000
      const day = new Date(Date.parse('2020-01-01') + Math.floor((orders - 1) / perDay) * 86_400_000)
      const date = day.toISOString().slice(0, 10)
      await push(server, young, orderLines({ ...spread, locationId: young.locationId, count: perDay, from: date }))

      const { meta } = await get(server, full, 'size=100')
      if (meta.totalCount !== orders) throw new Error(`${orders} orders were pushed, ${meta.totalCount} are counted`)
      const deep = Math.floor(meta.totalPage * 0.95)
      const oneDay = `size=10&since=${date}&until=${date}`
      const times = await interleave(
        {
          first: () => get(server, full, 'size=100&index=0'),
          deep: () => get(server, full, `size=100&index=${deep}`),
          last: () => get(server, full, `size=100&index=${meta.totalPage - 1}`),
          withHistory: () => get(server, full, oneDay),
          without: () => get(server, young, oneDay),
        },
        rounds,
      )
      const first = median(times.first)
      const ratio = (ms: number, to: number) => `${(ms / to).toFixed(2)} x`
      printTable(
        `Depth: ${orders.toLocaleString('en-US')} orders of one location, ${perDay} a day, medians of ${rounds}`,
        [
          {
            what: 'ingest over HTTP',
            value: `${Math.round(orders / seconds)}/s`,
            note: 'NDJSON, durable, journal and chain',
          },
          { what: 'first page of 100', value: `${first.toFixed(2)} ms` },
          { what: 'page at 95 %', value: ratio(median(times.deep), first), note: 'of the first page' },
          { what: 'last page', value: ratio(median(times.last), first), note: 'of the first page' },
          {
            what: 'one day with totalCount, history / none',
            value: ratio(median(times.withHistory), median(times.without)),
            note: `${median(times.withHistory).toFixed(2)} ms against ${median(times.without).toFixed(2)} ms`,
          },
        ],
      )
    } finally {
      await server.stop()
    }
  })
}
