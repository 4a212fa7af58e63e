import type { Options } from './options.ts'
import { checkAnswers, scenarios, type Contestant, type Scenario } from './reads-scenarios.ts'
import { startChild } from './support/child.ts'
import { openEmbeddedServer, toUrl } from './support/embedded.ts'
import { interleave, median } from './support/figures.ts'
import { driver, requestsPerSecond } from './support/load.ts'
import { catalogLines, orderLines } from './support/orders.ts'
import { findPeer, leftOut } from './support/peers.ts'
import { findDatabaseLimit, type Pgbench } from './support/pgbench.ts'
import { startReplayer } from './support/replayer.ts'
import type { Aim, Figure, Race, Report } from './support/report.ts'
import { addSite, ask, push, startServer, withCleanup, withDirectory } from './support/server.ts'

const perDay = 250

const ours = 'Tillgate'
const twice = 'Tillgate, 2 processes'
const bytesOnly = 'bare node:http'

/** Name, folder of `bench/peers`, its program, and a package that tells whether it is installed. */
const afternoonServers = [
  ['Fastify + pg', 'afternoon-pg', 'server.js', 'pg'],
  ['Fastify + Prisma', 'afternoon-prisma', 'server.js', '@prisma/client'],
] as const

/** At 16 connections, against the server named. */
const aims: Record<string, Record<string, number>> = {
  'one order': { 'Fastify + pg': 4.5, 'Fastify + Prisma': 9 },
  'page of 100': { 'Fastify + pg': 11 },
}

/** Of what `node:http` and the database would do one after the other. */
const limitAim = { scenario: 'page of 100', share: 38 }

/**
 * Everyone has eight connections to the database, which has room for fifty. Prepared queries at once, at most: enough
 * to keep a few cores busy.
 */
const databaseClients = 6

type Rates = Record<string, number>

type Setting = { key: string; contestants: Contestant[]; database: Pgbench | undefined; rounds: number }

async function measure(
  { key, contestants, database, rounds }: Setting,
  { path, sql, name }: Scenario,
  connections: number,
): Promise<Rates> {
  // With many at once a slow server has answered nothing after a second.
  const seconds = connections > 16 ? 3 : 1
  const runs: Record<string, () => Promise<number>> = {}
  for (const contestant of contestants) {
    runs[contestant.name] = () => requestsPerSecond({ url: contestant.url + path, key, connections, seconds })
  }
  if (database && sql !== undefined) {
    const clients = Math.min(connections, databaseClients)
    runs['database'] = () => database({ name: name.replaceAll(/\W+/g, '-'), sql, clients, seconds })
  }
  const rates = await interleave(runs, rounds, connections === 16 && rounds > 1 ? 1 : 0)
  return Object.fromEntries(Object.entries(rates).map(([name, values]) => [name, median(values)]))
}

function figuresOf(scenario: string, connections: number, rates: Rates): Figure[] {
  const row = `${scenario}, ${connections}`
  const own = rates[ours] ?? Number.NaN
  const aimOf = (least: number | undefined): { aim?: Aim } =>
    connections === 16 && least !== undefined ? { aim: { least } } : {}
  const figures: Figure[] = [{ row, column: ours, value: own, unit: '/s' }]
  const [bytes, database] = [rates[bytesOnly], rates['database']]
  if (bytes !== undefined && database !== undefined) {
    const inSeries = 1 / (1 / bytes + 1 / database)
    const aim = aimOf(scenario === limitAim.scenario ? limitAim.share : undefined)
    figures.push({ row, column: 'of the limit', value: (100 * own) / inSeries, unit: '%', ...aim })
  }
  for (const [name, rate] of Object.entries(rates)) {
    if ([ours, bytesOnly, 'database'].includes(name)) continue
    const column = `/ ${name}`
    if (name === twice) figures.push({ row, column: '2 processes', value: rate / own, unit: 'x' })
    else figures.push({ row, column, value: own / rate, unit: 'x', ...aimOf(aims[scenario]?.[name]) })
  }
  return figures
}

/** Reads as an integrator does them, against the limits of the machine and what one would write or install instead. */
export async function reads({
  quick,
  orders = quick ? 2_000 : 100_000,
  rounds = 3,
  profile,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, { profile, args: ['--role', 'api', '--db-connections', '8'] })
      later(() => server.stop())
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const site = await addSite(server, 'Reads')
      const spread = { locationId: site.locationId, count: orders, perDay, from: '2025-01-01' }
      await push(server, site, catalogLines())
      await push(server, site, orderLines(spread))
      const remarks = [
        `${orders.toLocaleString('en-US')} orders, ${perDay} a day; rows are read and connections, driven by ${driver}`,
        `medians of ${rounds} rounds of a second in turn (three at 64); every answer checked field by field beforehand`,
      ]

      // A second server on the same database, which therefore must not know that it is an embedded one.
      const args = ['--role', 'api', '--processes', '2', '--db-connections', '4']
      const second = await startServer(directory, { databaseUrl: toUrl(embedded.connection), args })
      later(() => second.stop())
      const contestants: Contestant[] = [
        { name: ours, url: server.url },
        { name: twice, url: second.url },
      ]
      const products = await ask(server, site, '/v1/catalog/')
      for (const [name, folder, file, needs] of afternoonServers) {
        const program = findPeer(folder, file, needs)
        if (!program) {
          remarks.push(leftOut(name, folder))
          continue
        }
        const child = startChild(program)
        later(() => child.stop())
        const connection = await embedded.createDatabase(folder.replace('-', '_'))
        const url = await child.ask<string>('start', { connection, key: site.key, spread, products }, 600_000)
        contestants.push({ name, url })
      }

      const middle = await ask<{ data: { id: string }[] }>(server, site, `/v1/orders/?size=1&index=${orders >> 1}`)
      const list = scenarios({ ...spread, orders, orderId: middle.data[0]?.id ?? '' })
      const recording = await checkAnswers(list, contestants, site.key)
      const replayer = await startReplayer(recording)
      later(() => replayer.child.stop())
      contestants.push({ name: bytesOnly, url: replayer.url })
      const database = await findDatabaseLimit(directory, embedded.connection)
      if (!database) remarks.push('the limit is left out: it needs pgbench (Debian: apt install postgresql-contrib)')

      const figures: Figure[] = []
      const races: Race[] = []
      for (const connections of quick ? [16] : [16, 1, 64]) {
        for (const scenario of list) {
          const rates = await measure({ key: site.key, contestants, database, rounds }, scenario, connections)
          figures.push(...figuresOf(scenario.name, connections, rates))
          if (connections !== 16 || !['one order', 'page of 100'].includes(scenario.name)) continue
          const lanes = Object.entries(rates).map(([name, value]) => ({ name, value }))
          races.push({ title: `${scenario.name}, 16 connections`, unit: '/s', lanes })
        }
      }
      return { title: 'Reads', remarks, figures, races }
    }),
  )
}
