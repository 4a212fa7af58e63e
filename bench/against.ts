import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Agent } from 'undici'
import { openPool } from '../src/core/store/db/database.ts'
import { caughtUp, createWebhook } from './delivery-contestants.ts'
import { ownSink, pushSingly } from './ingest-contestants.ts'
import type { Options } from './options.ts'
import { requestsOf, scenarios } from './reads-scenarios.ts'
import type { ConnectionOptions } from '../src/core/embedded/database.ts'
import { openEmbeddedServer, toUrl } from './support/embedded.ts'
import { median, medianInterval, timed } from './support/figures.ts'
import { answersPerSecond, requestsPerSecond } from './support/load.ts'
import { processorMsOf, processorMsOfAll } from './support/memory.ts'
import { catalogLines, monthLines, orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import {
  addSite,
  ask,
  push,
  remove,
  startServer,
  withCleanup,
  withDirectory,
  type Server,
  type Site,
} from './support/server.ts'
import { startSink, type Sink } from './support/sink.ts'

const run = promisify(execFile)

const perDay = 250

/** Orders per turn: pushed one by one, in one push, and by one import. */
const written = { singles: 3_000, push: 20_000, import: 20_000 }

const pushers = 16

/**
 * Number of measured rounds after each start of both servers, and of warm-up rounds before them. How V8 compiles, and
 * which processor a process gets, differs more between two starts of one version than between two versions.
 */
const roundsOfStart = 5
const warmRounds = 2

/** One round; resolves to the number of operations, and their rate. */
type Work = () => Promise<{ count: number; perSecond: number }>

type Version = {
  name: string
  program: string
  databaseUrl: string
  connection: ConnectionOptions
  /** Replaced by another server at each start. */
  server: Server
  site: Site
  works: Map<string, Work>
}

type Cost = { server: number; database: number; perSecond: number }

/** Returns the reads to measure, each with the name of its row. */
function readsOf(version: Version, orders: number, seconds: number): [string, Work][] {
  const { site } = version
  const data = { locationId: site.locationId, orders, perDay, from: '2025-01-01' }
  const contestant = { name: '', url: '' }
  const known = scenarios(data).map(({ name, asks }) => [name, requestsOf(contestant, asks, site)] as const)
  const events = { paths: ['/v1/events/'], headers: { 'x-api-key': site.key } }
  return [...known, ['events', events] as const].flatMap(([name, { paths, headers }]) =>
    (name === 'one order' ? [1, 16, 64] : [16]).map((connections): [string, Work] => [
      `${name}, ${connections}`,
      async () => {
        const request = { url: version.server.url, paths, headers }
        // Reopens connections that the server closed during the other version's turn.
        await answersPerSecond({ ...request, connections }, connections)
        const perSecond = await requestsPerSecond({ ...request, connections, seconds })
        return { count: seconds * perSecond, perSecond }
      },
    ]),
  )
}

/**
 * Returns the work of delivering every order to a receiver that responds immediately. Each turn has its own webhook,
 * because replays of a webhook are limited.
 */
function deliveryOf(version: Version, sink: Sink, orders: number): Work {
  return async () => {
    const { server, site } = version
    const { id } = await createWebhook(server, site, sink.url)
    await sink.expect(orders)
    const began = performance.now()
    await ask(server, site, `/v1/webhooks/${id}/replay`, { sequence: 1 })
    await sink.reached()
    const perSecond = (1000 * orders) / (performance.now() - began)
    await caughtUp(server, site, id)
    // Otherwise this webhook would also receive the orders of later rows.
    await remove(server, site, `/v1/webhooks/${id}`)
    return { count: orders, perSecond }
  }
}

/**
 * Returns the writes to measure: one order per request to one and to many locations, many in one push, and by `import`.
 * Each turn uses a separate day.
 */
async function writesOf(version: Version, agent: Agent, directory: string): Promise<[string, Work][]> {
  const { name, program, databaseUrl, site } = version
  const sites = [site]
  while (sites.length < pushers) sites.push(await addSite(version.server, `${name} ${sites.length}`))
  let salt = 1
  const linesOf = (of: readonly Site[], count: number) => {
    // Recent sales: older ones cause a warning unless they are pushed as history.
    const from = new Date(Date.now() - (1 + (++salt % 300)) * 86_400_000).toISOString().slice(0, 10)
    const { locationId } = site
    const lines = [...orderLines({ locationId, count, perDay: count, from, salt })]
    return lines.map((line, i) => line.replace(locationId, (of[i % of.length] as Site).locationId))
  }
  const singly = (of: readonly Site[]) => async () => {
    const lines = linesOf(of, written.singles)
    const perSecond = await pushSingly(ownSink(version.server), of, lines, { agent, connections: pushers })
    return { count: lines.length, perSecond }
  }
  const whole = async (lines: readonly string[], work: () => Promise<unknown>) => {
    const ms = await timed(work)
    return { count: lines.length, perSecond: (1000 * lines.length) / ms }
  }
  return [
    [`single orders, 1 location`, singly([site])],
    [`single orders, ${pushers} locations`, singly(sites)],
    [
      'ndjson',
      async () => {
        const lines = linesOf([site], written.push)
        return whole(lines, () => push(version.server, site, lines))
      },
    ],
    [
      'import',
      async () => {
        const lines = linesOf([site], written.import)
        const path = join(directory, `${name}.ndjson`)
        await writeFile(path, lines.join(''))
        const args = [program, 'import', path, '--location', site.locationId, '--json']
        const env = { ...process.env, DATABASE_URL: databaseUrl }
        return whole(lines, () => run(process.execPath, args, { env }))
      },
    ],
  ]
}

/**
 * Returns the work of rebuilding the business days of a month of orders and their Z reports from the journal, as after
 * an upgrade that changes the rules.
 */
async function rebuildOf(version: Version): Promise<Work> {
  const { name, connection } = version
  const site = await addSite(version.server, `${name} month`)
  const lines = [...monthLines(site.locationId, 120)]
  await push(version.server, site, lines)
  await settled(version.server, site, connection)
  let salt = 0
  return async () => {
    const own = openPool(connection, { connections: 1, pipelining: true })
    try {
      const [{ generation }] = await own<[{ generation: number }]>`
        update projections set version = 'another' where name = 'days' and live and location_id = ${site.locationId}
        returning generation`
      const began = performance.now()
      // A push makes the server check its projections.
      await push(
        version.server,
        site,
        orderLines({ locationId: site.locationId, count: 1, perDay: 1, from: '2015-01-01', salt: ++salt }),
      )
      for (;;) {
        const rows = await own`
          select 1 from projections where name = 'days' and live and location_id = ${site.locationId} and generation > ${generation}`
        if (rows.length > 0) break
        await delay(20)
      }
      return { count: lines.length, perSecond: (1000 * lines.length) / (performance.now() - began) }
    } finally {
      await own.end()
    }
  }
}

/**
 * Waits for the projections of a version, whose work would otherwise be counted with the requests. Returns at once if
 * the version has no projections.
 */
async function settled({ url }: Server, { key, locationId }: Site, connection: ConnectionOptions): Promise<void> {
  const own = openPool(connection, { connections: 1, pipelining: true })
  try {
    const [{ has }] = await own<[{ has: boolean }]>`select to_regclass('projections') is not null as has`
    if (!has) return
    const isBehind = async (path: string) => {
      const { status } = await fetch(`${url}/v1/${path}/?since=2025-01-01&until=2025-01-01`, {
        headers: { 'x-api-key': key },
      })
      // A request for figures causes them to be built.
      return status === 503
    }
    const isAtHead = async () => {
      const [{ behind }] = await own<[{ behind: number }]>`
        select count(*) filter (where p.seq < s.last_seq)::int as behind
        from projections p join location_seq s using (location_id) where location_id = ${locationId}`
      return behind === 0
    }
    while ((await isBehind('sales')) || (await isBehind('reports/checks')) || !(await isAtHead())) await delay(500)
  } finally {
    await own.end()
  }
}

/** Returns the figures of a row: the cost in each version, and the ratio of the two adjacent turns of each round. */
function figuresOf(row: string, costs: { here: Cost; there: Cost }[]): Figure[] {
  return (['server', 'database', 'perSecond'] as const).flatMap((of) => {
    const ratios = costs.map(({ here, there }) => here[of] / there[of])
    const [least, most] = medianInterval(ratios)
    const value = (version: 'here' | 'there') => median(costs.map((cost) => cost[version][of]))
    const unit = of === 'perSecond' ? '/s' : 'µs'
    const named = `${row}, ${of === 'perSecond' ? 'rate' : of}`
    return [
      { row: named, column: 'this', value: value('here'), unit },
      { row: named, column: 'the other', value: value('there'), unit },
      {
        row: named,
        column: 'this / the other',
        value: median(ratios),
        unit: 'x',
        note: `${least.toFixed(2)} to ${most.toFixed(2)}`,
      },
    ] as const
  })
}

/**
 * Compares this checkout with another one: the processor time of the server and of PostgreSQL for a request or a
 * webhook. Both are built first, because people install builds: started from its source, a program spends longer
 * loading files. Both have the same orders in databases of one PostgreSQL server and take turns; the second of a round
 * is the first of the next. Both are restarted every few rounds. A turn begins when the figures of the previous turn's
 * pushes have been built, so neither version is measured during the work of the other.
 */
export async function against(options: Options): Promise<Report> {
  const { quick, checkout, orders = quick ? 2_000 : 20_000, rounds = quick ? 1 : 20, only, profile } = options
  if (checkout === undefined)
    throw new Error('against requires --checkout: the folder of another checkout, with its packages')
  const seconds = 1
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const sink = await startSink()
      later(() => sink.stop())
      const agent = new Agent({ connections: pushers })
      later(() => agent.close())
      const begin = ({ name, program, databaseUrl }: Pick<Version, 'name' | 'program' | 'databaseUrl'>) =>
        startServer(directory, {
          args: ['--allow-http', '--allow-address', '127.0.0.0/8'],
          databaseUrl,
          program,
          profile: profile && join(profile, name),
        })
      const prepare = async (name: string, folder: string): Promise<Version> => {
        const connection = await embedded.createDatabase(name)
        const place = { name, databaseUrl: toUrl(connection), program: join(folder, 'bin/tillgate.cjs') }
        await run('npm', ['run', 'build'], { cwd: folder })
        const server = await begin(place)
        const site = await addSite(server, name)
        const version: Version = { ...place, connection, server, site, works: new Map() }
        later(() => version.server.stop())
        await push(server, site, catalogLines())
        await push(server, site, orderLines({ locationId: site.locationId, count: orders, perDay, from: '2025-01-01' }))
        await settled(server, site, connection)
        version.works = new Map([
          ...readsOf(version, orders, seconds),
          ['delivery', deliveryOf(version, sink, orders)],
          ...(await writesOf(version, agent, directory)),
          ['rebuild of days', await rebuildOf(version)],
        ])
        return version
      }
      const here = await prepare('here', join(import.meta.dirname, '..'))
      const there = await prepare('there', checkout)
      const startAgain = async (order: readonly Version[]) => {
        for (const { server } of order) await server.stop()
        for (const version of order) version.server = await begin(version)
      }

      const turn = async ({ server, works }: Version, row: string): Promise<Cost> => {
        const used = () => Promise.all([processorMsOf(server.pid), processorMsOfAll(embedded.pid)])
        const before = await used()
        const { count, perSecond } = await (works.get(row) as Work)()
        const [own, database] = await used()
        return {
          server: (1000 * (own - before[0])) / count,
          database: (1000 * (database - before[1])) / count,
          perSecond,
        }
      }
      const figures: Figure[] = []
      for (const row of here.works.keys()) {
        if (only.length > 0 && !only.includes(row.replaceAll(/\W+/g, '-'))) continue
        const costs: { here: Cost; there: Cost }[] = []
        for (let start = 0; costs.length < rounds; start++) {
          await startAgain(start % 2 === 0 ? [here, there] : [there, here])
          for (let round = -warmRounds; round < roundsOfStart && costs.length < rounds; round++) {
            const cost: Partial<Record<string, Cost>> = {}
            for (const version of round % 2 === 0 ? [here, there] : [there, here]) {
              cost[version.name] = await turn(version, row)
              await settled(version.server, version.site, version.connection)
            }
            if (round >= 0) costs.push(cost as { here: Cost; there: Cost })
          }
        }
        figures.push(...figuresOf(row, costs))
      }
      return {
        title: `Against ${checkout}`,
        remarks: [
          `${orders.toLocaleString('en-US')} orders, ${perDay} a day; rows are what is asked and connections, driven by wrk`,
          `processor time of one request or webhook; medians of ${rounds} rounds of ${seconds} s for each, of ${roundsOfStart} after each start of both, and`,
          'between what the median of many more rounds would lie, in 95 of 100 cases; of an import the rate is what counts, it is a process of its own',
        ],
        figures,
        races: [],
      }
    }),
  )
}
