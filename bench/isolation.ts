import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createWebhook } from './delivery-contestants.ts'
import { measureLatency } from './delivery-latency.ts'
import type { Options } from './options.ts'
import { percentile } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { addSite, ask, push, startServer, withCleanup, withDirectory } from './support/server.ts'
import { startSink } from './support/sink.ts'

/** Starts an endpoint that accepts requests and responds to none; `open` is the number of hanging requests. */
async function startHanging() {
  let hanging = 0
  const server = createServer((request, response) => {
    request.resume()
    hanging += 1
    response.on('close', () => (hanging -= 1))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open: () => hanging, stop }
}

/**
 * Measures what an unresponsive endpoint costs a healthy one of the same location: the duration of a delivery without
 * other webhooks, and while another webhook with a backlog hangs on all its connections. The ratio of one run shows the
 * additional cost; a test checks that the hanging endpoint has no more connections than one webhook may have
 * (`test/core/delivery/isolation.test.ts`).
 */
export async function isolation({ quick, orders, rounds = 3 }: Options): Promise<Report> {
  const backlog = orders ?? (quick ? 2_000 : 20_000)
  const seconds = quick ? 2 : 10
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const [sink, hanging] = [await startSink(), await startHanging()]
      later(() => sink.stop())
      later(() => hanging.stop())
      const args = ['--allow-http', '--allow-address', '127.0.0.0/8']
      const server = await startServer(join(directory, 'data'), { args })
      later(() => server.stop())
      const site = await addSite(server, 'Neighbours')
      const { locationId } = site
      await push(server, site, orderLines({ locationId, count: backlog, perDay: 250, from: '2026-01-01' }))
      const hang = async () => {
        const { id } = await createWebhook(server, site, hanging.url)
        await ask(server, site, `/v1/webhooks/${id}/replay`, { sequence: 1 })
        while (hanging.open() < 8) await delay(20)
      }
      const [alone, beside]: [number[], number[]] = [[], []]
      for (let round = 0; round < (quick ? 1 : rounds); round++) {
        const setting = { server, site, sink, seconds }
        alone.push(...(await measureLatency({ ...setting, salt: 10 + 2 * round })).fromSent)
        beside.push(...(await measureLatency({ ...setting, salt: 11 + 2 * round, prepare: hang })).fromSent)
      }
      const rows = [0.5, 0.99].flatMap((share): Figure[] => {
        const [one, other] = [percentile(alone, share), percentile(beside, share)]
        const row = `push sent → webhook received, p${share * 100}`
        return [
          { row, column: 'alone', value: one, unit: 'ms' },
          { row, column: 'beside', value: other, unit: 'ms' },
          { row, column: 'ratio', value: other / one, unit: 'x', ...(share === 0.99 && { aim: { most: 2 } }) },
        ]
      })
      return {
        title: 'What an endpoint that hangs costs a healthy one of the same location',
        remarks: [
          `100 orders/s for ${seconds} s, in turn alone and beside an endpoint that answers nothing and has`,
          `${backlog.toLocaleString('en-US')} events before it`,
        ],
        figures: rows,
        races: [],
      }
    }),
  )
}
