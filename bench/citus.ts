import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '../src/core/store/db/database.ts'
import { Agent } from 'undici'
import { ownSink, pushSingly } from './ingest-contestants.ts'
import type { Options } from './options.ts'
import { interleave, median, timed } from './support/figures.ts'
import { requestsPerSecond } from './support/load.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { timeSweeps } from './sweeps.ts'
import { ask, push, startServer, withCleanup, withDirectory, type Server, type Site } from './support/server.ts'

const run = promisify(execFile)

const main = resolve(import.meta.dirname, '../src/main.ts')

/** Starts and stops a coordinator with two workers; it is next to the checkout, and needs Debian's PostgreSQL 15. */
const script = resolve(import.meta.dirname, '../../shared/topologies/citus.sh')

const firstPort = 21_600

const alone = 'one PostgreSQL'

/** The same server program and settings on one PostgreSQL, and on a cluster by one of its nodes. */
const places = {
  [alone]: { port: firstPort, database: 'alone' },
  'Citus, by its coordinator': { port: firstPort, database: 'postgres' },
  'Citus, by a worker': { port: firstPort + 1, database: 'postgres' },
}

type Place = keyof typeof places

type Contestant = { server: Server; sites: Site[] }

const urlOf = ({ port, database }: { port: number; database: string }) =>
  `postgres://postgres@127.0.0.1:${port}/${database}`

/** Number of locations, distributed over all nodes of the cluster. */
const locations = 8

async function makeSites(databaseUrl: string): Promise<Site[]> {
  const command = async (...args: string[]) => {
    const env = { ...process.env, DATABASE_URL: databaseUrl }
    return JSON.parse((await run(process.execPath, [main, ...args, '--json'], { env })).stdout)
  }
  const sites: Site[] = []
  for (let n = 0; n < locations; n++) {
    const { id: locationId } = await command('location', 'create', '--name', `Bench ${n}`)
    const { key } = await command('key', 'create', '--location', locationId, '--scope', 'read,ingest')
    sites.push({ locationId, key })
  }
  return sites
}

let salt = 0

/** Returns new orders each time, on a separate day. */
function make({ locationId }: Site, count: number): string[] {
  salt += 1
  const from = new Date(Date.parse('2020-01-01') + salt * 86_400_000).toISOString().slice(0, 10)
  return [...orderLines({ locationId, count, perDay: count, from, salt })]
}

const tasks = {
  'NDJSON over HTTP': async ({ server, sites }: Contestant, orders: number) => {
    const lines = sites.map((site) => ({ site, lines: make(site, orders / locations) }))
    const ms = await timed(() => Promise.all(lines.map((of) => push(server, of.site, of.lines))))
    return (orders * 1000) / ms
  },
  'single orders': async ({ server, sites }: Contestant, orders: number) => {
    const agent = new Agent({ connections: 16 })
    const setting = { agent, connections: 16 }
    const rates = await Promise.all(
      sites.map((site) => pushSingly(ownSink(server), [site], make(site, orders / 80), setting)),
    )
    await agent.close()
    return rates.reduce((sum, rate) => sum + rate, 0)
  },
  'one order': async ({ server, sites }: Contestant, _: number, seconds: number) => {
    const site = sites[0] as Site
    const { data } = await ask<{ data: { id: string }[] }>(server, site, '/v1/orders/?size=200')
    const paths = data.map(({ id }) => `/v1/orders/${id}`)
    return requestsPerSecond({ url: server.url, paths, key: site.key, connections: 16, seconds })
  },
  'page of 100': async ({ server, sites }: Contestant, _: number, seconds: number) => {
    const site = sites[0] as Site
    const paths = Array.from({ length: 8 }, (_, index) => `/v1/orders/?size=100&index=${index}`)
    return requestsPerSecond({ url: server.url, paths, key: site.key, connections: 16, seconds })
  },
}

/** Measures the cost of a cluster of three nodes on one machine, compared with one PostgreSQL in the same run. */
export async function citus({ quick, orders = quick ? 800 : 8_000, rounds = quick ? 1 : 5 }: Options): Promise<Report> {
  const title = `Citus: three nodes on one machine beside one PostgreSQL, ${locations} locations`
  if (!existsSync(script))
    return { title, remarks: ['left out: there is no cluster to start here'], figures: [], races: [] }
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const data = join(directory, 'nodes')
      execFileSync(script, ['start', data, String(firstPort)], { stdio: ['ignore', 'ignore', 'inherit'] })
      later(async () => execFileSync(script, ['stop', data, String(firstPort)]))
      const admin = openPool(
        { url: urlOf({ port: firstPort, database: 'postgres' }) },
        { connections: 1, pipelining: true },
      )
      await admin`create database alone`
      await admin.end()

      const contestants = new Map<Place, Contestant>()
      for (const [name, place] of Object.entries(places) as [Place, { port: number; database: string }][]) {
        const direct = urlOf({ port: firstPort, database: place.database })
        const args = ['--role', 'api', '--database-direct-url', direct]
        const server = await startServer(directory, { databaseUrl: urlOf(place), args })
        later(() => server.stop())
        contestants.set(name, { server, sites: await makeSites(direct) })
      }
      const figures: Figure[] = []
      const urls = Object.fromEntries(Object.entries(places).map(([name, place]) => [name, urlOf(place)]))
      for (const [row, task] of Object.entries(tasks)) {
        const runs = [...contestants].map(([name, who]) => [name, () => task(who, orders, quick ? 1 : 5)] as const)
        const rates = await interleave(Object.fromEntries(runs) as Record<Place, () => Promise<number>>, rounds, 1)
        const base = median(rates[alone])
        for (const [name, of] of Object.entries(rates)) {
          figures.push({ row, column: name, value: median(of), unit: '/s' })
          if (name !== alone)
            figures.push({
              row: `${row}, of one PostgreSQL`,
              column: name,
              value: (100 * median(of)) / base,
              unit: '%',
            })
        }
      }
      figures.push(...(await timeSweeps(urls as Record<Place, string>, { rounds: quick ? 3 : 20 })))
      const remarks = [
        `medians of ${rounds} rounds in turn; all nodes, the server and the client share the machine`,
        'here the nodes share the cores of one machine; what a cluster is for are nodes of their own',
      ]
      return { title, remarks, figures, races: [] }
    }),
  )
}
