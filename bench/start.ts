import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import type { Options } from './options.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { median } from './support/figures.ts'
import { installSize } from './support/install-size.ts'
import { requestsPerSecond } from './support/load.ts'
import { memoryOf } from './support/memory.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { addSite, ask, push, startServer, withCleanup, withDirectory, type Server } from './support/server.ts'

const run = promisify(execFile)

/** What is published: JavaScript, which Node need not strip of types. */
const program = resolve(import.meta.dirname, '../dist/main.js')

/** Memory of the API, the delivery and PostgreSQL together. */
async function memory(server: Server): Promise<number | undefined> {
  const embedded = await openEmbeddedServer(server.dataDir)
  try {
    return await memoryOf([server.pid, embedded.pid])
  } finally {
    await embedded.release()
  }
}

/** Seconds from the command to its first answer. */
async function startTimed(dataDir: string, path: string, key = ''): Promise<{ seconds: number; server: Server }> {
  const began = performance.now()
  const server = await startServer(dataDir, { program })
  const response = await fetch(server.url + path, { headers: { 'x-api-key': key } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${path} answered ${response.status} after the start`)
  return { seconds: (performance.now() - began) / 1000, server }
}

/** What it takes to run it as installed: time to the first answer, memory, disk. */
export async function start({
  quick,
  orders = quick ? 1_000 : 50_000,
  rounds = quick ? 1 : 5,
}: Options): Promise<Report> {
  await run(process.execPath, [resolve(import.meta.dirname, '../scripts/build.ts')])
  const cold: number[] = []
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    await withDirectory(async (directory) => {
      const { seconds, server } = await startTimed(join(directory, 'data'), '/readyz')
      cold.push(seconds)
      await server.stop()
    })
  }
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const first = await startServer(directory, { program })
      let running = first
      later(() => running.stop())
      const site = await addSite(first, 'Start')
      await push(
        first,
        site,
        orderLines({ locationId: site.locationId, count: orders, perDay: 250, from: '2025-01-01' }),
      )
      const { data } = await ask<{ data: { id: string }[] }>(first, site, '/v1/orders/?size=1')
      const path = `/v1/orders/${data[0]?.id}`
      const warm: number[] = []
      for (let round = 0; round < rounds; round++) {
        await running.stop()
        const started = await startTimed(directory, path, site.key)
        warm.push(started.seconds)
        running = started.server
      }
      // Idle as it is after the first answer, and once the start's garbage is gone.
      await delay(quick ? 1_000 : 10_000)
      const idle = await memory(running)
      const paths = Array.from({ length: 8 }, (_, index) => `/v1/orders/?size=100&index=${index}`)
      await requestsPerSecond({ url: running.url, paths, key: site.key, connections: 16, seconds: quick ? 1 : 10 })
      await push(
        running,
        site,
        orderLines({ locationId: site.locationId, count: orders, perDay: 250, from: '2026-01-01', salt: 2 }),
      )
      const loaded = await memory(running)
      const size = await installSize()
      const figures: Figure[] = [
        {
          row: 'cold start to first answer',
          value: median(cold),
          unit: 's',
          note: 'a new data directory, its database made',
        },
        {
          row: 'warm start to first answer',
          value: median(warm),
          unit: 's',
          aim: { most: 1.5 },
          note: 'an order, by key',
        },
        {
          row: 'install size',
          value: size.allMB,
          unit: 'MB',
          note: `${size.packages} packages; PostgreSQL is ${Math.round(size.postgresMB)} MB of it`,
        },
      ]
      if (idle !== undefined) figures.push({ row: 'memory idle', value: idle, unit: 'MB', aim: { most: 160 } })
      if (loaded !== undefined) figures.push({ row: 'memory after load', value: loaded, unit: 'MB' })
      return {
        title: 'Start and memory',
        remarks: [
          'API, delivery and embedded PostgreSQL together, from dist; memory as proportional set sizes',
          `load: pages of 100 at 16 connections, then ${orders.toLocaleString('en-US')} orders as NDJSON`,
        ],
        figures,
        races: [],
      }
    }),
  )
}
