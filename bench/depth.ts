import type { Options } from './options.ts'
import { interleave, median, timed } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import type { Report } from './support/report.ts'
import {
  addSite,
  ask,
  push,
  startServer,
  withCleanup,
  withDirectory,
  type Server,
  type Site,
} from './support/server.ts'

type Page = { data: unknown[]; meta: { totalCount: number; totalPage: number } }

const perDay = 250

async function get(server: Server, site: Site, query: string): Promise<Page> {
  return ask<Page>(server, site, `/v1/orders/?${query}`)
}

/**
 * Measures the cost of depth and of history. Pages of 100 of one location, alternating in one run: the first, the last,
 * and the one at 95 % depth. Also one day with its `totalCount`, at a location with only this day and at one with
 * earlier years.
 */
export async function depth({ quick, orders = quick ? 5_000 : 1_000_000, rounds = 300 }: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory)
      later(() => server.stop())
      const [full, young] = [await addSite(server, 'Years of history'), await addSite(server, 'One day old')]
      const spread = { locationId: full.locationId, count: orders, perDay, from: '2016-01-01' }
      const seconds = (await timed(() => push(server, full, orderLines(spread)))) / 1000
      const day = new Date(Date.parse(spread.from) + Math.floor((orders - 1) / perDay) * 86_400_000)
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
      const ms = (name: keyof typeof times) => median(times[name])
      return {
        title: `Depth: ${orders.toLocaleString('en-US')} orders of one location`,
        remarks: [
          `${perDay} orders a day, one request at a time, medians of ${rounds} rounds`,
          `pushed at ${Math.round(orders / seconds).toLocaleString('en-US')} orders/s by a client that makes them meanwhile`,
        ],
        figures: [
          { row: 'first page of 100', value: ms('first'), unit: 'ms' },
          {
            row: 'page at 95 % / first page',
            value: ms('deep') / ms('first'),
            unit: 'x',
            aim: { most: 1.5 },
          },
          { row: 'last page / first page', value: ms('last') / ms('first'), unit: 'x' },
          {
            row: 'one day with totalCount, years of history / none',
            value: ms('withHistory') / ms('without'),
            unit: 'x',
            aim: { most: 1.1 },
            note: `${ms('withHistory').toFixed(2)} ms against ${ms('without').toFixed(2)} ms`,
          },
        ],
        races: [],
      }
    }),
  )
}
