import { join } from 'node:path'
import { Agent } from 'undici'
import { startContestants, type Contestant } from './delivery-contestants.ts'
import { measureLatency, type Latency } from './delivery-latency.ts'
import { ownSink, pushSingly } from './ingest-contestants.ts'
import type { Options } from './options.ts'
import { openBeside, rest } from './support/beside.ts'
import { interleave, median, percentile } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import type { Report } from './support/report.ts'
import { addSite, push, startServer, withCleanup, withDirectory, type Server, type Site } from './support/server.ts'
import { monotonicMs, startSink, type Receipts, type Sink } from './support/sink.ts'

const latencyWindows = 5

/** Pushes until the code of a push is compiled, as in a server that has run for a day. */
async function pushWarm(server: Server, site: Site, count: number): Promise<void> {
  const agent = new Agent({ connections: 16 })
  const lines = [...orderLines({ locationId: site.locationId, count, perDay: 250, from: '2026-05-01', salt: 2 })]
  await pushSingly(ownSink(server), [site], lines, { agent, connections: 16 })
  await agent.close()
}

/** Runs one round, from the start until the sink has received everything. Resolves to deliveries per second. */
async function race(sink: Sink, count: number, { load, go }: Contestant, check: (receipts: Receipts) => void) {
  await load()
  await sink.expect(count)
  const began = monotonicMs()
  const finished = go()
  const receipts = await Promise.race([sink.reached(), finished.then(() => sink.reached())])
  await finished
  check(receipts)
  return (count * 1000) / (receipts.atMs - began)
}

/**
 * Measures how many webhooks a second reach a receiver on this machine, each stored until it is acknowledged, and how
 * long one takes. All contestants send the same bodies, signed, eight in parallel, from one process, and have all
 * bodies before the start.
 */
export async function delivery({ quick, orders, rounds = 3, profile }: Options): Promise<Report> {
  const count = orders ?? (quick ? 2_000 : 20_000)
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const sink = await startSink()
      later(() => sink.stop())
      const dataDir = join(directory, 'data')
      const args = ['--allow-http', '--allow-address', '127.0.0.0/8']
      const server = await startServer(dataDir, { args, profile })
      later(() => server.stop())
      const site = await addSite(server, 'Backlog')
      await push(server, site, orderLines({ locationId: site.locationId, count, perDay: 250, from: '2026-01-01' }))
      const { contestants, remarks } = await startContestants({ directory, server, site, sink, count, later })

      let bytes: number | undefined
      const check = (receipts: Receipts) => {
        bytes ??= receipts.bytes
        if (bytes !== receipts.bytes) throw new Error(`the others sent ${bytes} bytes, this one ${receipts.bytes}`)
      }
      const runs = Object.fromEntries(contestants.map((c) => [c.name, () => race(sink, count, c, check)]))
      const rates = await interleave(runs, rounds, quick ? 0 : 1)
      const rate = (name: string) => median(rates[name] ?? [])
      await pushWarm(server, site, quick ? 200 : 5_000)
      await rest(await openBeside(server, later))
      const windows: Latency[] = []
      for (let n = 0; n < (quick ? 1 : latencyWindows); n++)
        windows.push(await measureLatency({ server, site, sink, seconds: quick ? 2 : 10, salt: 3 + n }))
      const latency = (of: keyof Latency) => windows.flatMap((window) => window[of])
      const tails = windows.map(({ fromSent }) => percentile(fromSent, 0.99).toFixed(1))

      const [ours = '', limit = ''] = contestants.map(({ name }) => name)
      const aims: Record<string, number> = { 'BullMQ + Redis': 2, [limit]: 0.4 }
      const ratios = contestants.slice(1).map(({ name }) => ({
        row: `Tillgate / ${name}`,
        value: rate(ours) / rate(name),
        unit: 'x' as const,
        ...(aims[name] === undefined ? {} : { aim: { least: aims[name] } }),
        note: `${Math.round(rate(ours)).toLocaleString('en-US')}/s against ${Math.round(rate(name)).toLocaleString('en-US')}/s`,
      }))
      return {
        title: `Delivery: ${count.toLocaleString('en-US')} webhooks of ${Math.round((bytes ?? 0) / count)} bytes to a receiver on this machine`,
        remarks: [`eight at a time, one process each, medians of ${rounds} rounds in turn`, ...remarks],
        figures: [
          ...ratios,
          {
            row: 'push sent → webhook received, p50',
            value: percentile(latency('fromSent'), 0.5),
            unit: 'ms',
            aim: { most: 5 },
            note: `at 100 orders/s; from the push answered ${percentile(latency('fromAnswered'), 0.5).toFixed(2)} ms`,
          },
          {
            row: 'push sent → webhook received, p99',
            value: percentile(latency('fromSent'), 0.99),
            unit: 'ms',
            aim: { most: 25 },
            note: `of windows of ten seconds: ${tails.join(', ')} ms; from the push answered ${percentile(latency('fromAnswered'), 0.99).toFixed(2)} ms`,
          },
        ],
        races: [
          {
            title: 'Durable webhook deliveries',
            unit: '/s',
            lanes: contestants.map(({ name }) => ({ name, value: rate(name) })),
          },
        ],
      }
    }),
  )
}
