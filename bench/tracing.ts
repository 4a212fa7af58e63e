import { join, resolve } from 'node:path'
import type { Options } from './options.ts'
import { interleave, median } from './support/figures.ts'
import { requestsPerSecond } from './support/load.ts'
import { processorMsOf } from './support/memory.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { addSite, ask, push, startServer, withCleanup, withDirectory } from './support/server.ts'

/** Three variants of the program: without tracing code, as it is, and with a tracer that samples every span. */
const contestants = {
  removed: resolve(import.meta.dirname, 'tracing-none.ts'),
  none: undefined,
  registered: resolve(import.meta.dirname, 'tracing-on.ts'),
}

type Name = keyof typeof contestants

const names = Object.keys(contestants) as Name[]

const connections = 8

/** Measures the processor time per request in microseconds. `work` sends some requests and returns their number. */
async function processorTime(pid: number, work: () => Promise<number>): Promise<number> {
  const before = await processorMsOf(pid)
  const requests = await work()
  return (1000 * ((await processorMsOf(pid)) - before)) / requests
}

/**
 * Measures the cost of tracing without a registered tracer, and with one: single orders are read, and pushed one by
 * one, in turn. Processor time of the server is compared, because the rate of pushes depends on the disk.
 */
export async function tracing({
  quick,
  orders = quick ? 100 : 1000,
  rounds = quick ? 2 : 10,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const work = { read: {} as Record<Name, () => Promise<number>>, push: {} as Record<Name, () => Promise<number>> }
      for (const name of names) {
        const preload = contestants[name]
        const server = await startServer(join(directory, name), preload === undefined ? {} : { preload })
        later(() => server.stop())
        const site = await addSite(server, name)
        await push(
          server,
          site,
          orderLines({ locationId: site.locationId, count: 100, perDay: 50, from: '2026-01-01' }),
        )
        const { data } = await ask<{ data: { id: string }[] }>(server, site, '/v1/orders/?size=100')
        const load = { url: server.url, paths: data.map(({ id }) => `/v1/orders/${id}`), key: site.key, connections }
        const seconds = quick ? 1 : 2
        work.read[name] = () =>
          processorTime(server.pid, async () => seconds * (await requestsPerSecond({ ...load, seconds })))
        let salt = 0
        const pushed = async () => {
          const from = new Date(Date.UTC(2020, 0, 1 + salt++ * 20)).toISOString().slice(0, 10)
          const lines = [...orderLines({ locationId: site.locationId, count: orders, perDay: 50, from })]
          const lane = async () => {
            for (let line = lines.pop(); line !== undefined; line = lines.pop()) await push(server, site, [line])
          }
          await Promise.all(Array.from({ length: connections }, lane))
          return orders
        }
        work.push[name] = () => processorTime(server.pid, pushed)
      }
      const figures: Figure[] = []
      for (const [row, one] of [
        ['processor time of one order read', work.read],
        ['processor time of one order pushed', work.push],
      ] as const) {
        const speeds = await interleave(one, rounds)
        const base = median(speeds.removed)
        figures.push({ row, column: 'removed', value: base, unit: 'µs' })
        for (const column of ['none', 'registered'] as const) {
          figures.push({ row, column, value: median(speeds[column]) / base, unit: 'x' })
        }
      }
      return {
        title: 'What tracing costs',
        remarks: [
          `${connections} connections, ${rounds} rounds in turn: the program without its tracing, with no tracer registered, and with`,
          'one that takes every span and sends it nowhere',
        ],
        figures,
        races: [],
      }
    }),
  )
}
