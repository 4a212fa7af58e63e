import { spawnSync } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Random } from '../../../simulator/random.ts'
import { openPool, timelines, type Pool } from '../../../src/core/store/db/database.ts'
import type { EventType } from '../../../src/core/schemas/events.ts'
import { addKey, addLocation, type Site } from '../app.ts'
import { runLooker, runReader, runTill, startEndpoints, type ClientOptions } from './clients.ts'
import { tillgateIn } from './command.ts'
import { damageAtRest, damageWhileRunning, type Control } from './controls.ts'
import { diskBytesOf, doesEnd, faults, startEnded, type FaultName } from './faults.ts'
import { countAcknowledged, emptyLedger } from './ledger.ts'
import { judge, type Judgement, type Subscription, type ReportedLoss } from './rules.ts'
import { install, type Installation, type TopologyName } from './topologies.ts'

export type CellOptions = {
  topology: TopologyName
  fault: FaultName
  /** Time of pushing and harm, without setting up, draining and judging. */
  seconds: number
  /** Minimum number of acknowledged pushes, 1 if absent; the time is extended up to threefold for them. */
  acknowledged?: number
  seed: number
  /** Damage that the judge must detect. */
  control?: Control
  log?: (line: string) => void
}

export type CellResult = Judgement & { harms: number; drainedMs: number; exitCodes: (number | null)[] }

const sitesPerCell = 2
const tillsPerSite = 2
const readersPerSite = 2
const ordersPerTill = 30

const registrations: EventType[][] = [
  ['order.created', 'order.updated', 'order.paid', 'order.canceled'],
  ['order.created', 'order.paid'],
]

/** After this long without progress, missing deliveries count as lost. Longer than a lease and the first waits. */
const stuckMs = 60_000

async function makeFolder(fault: FaultName) {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-matrix-'))
  const size = diskBytesOf(fault)
  if (size !== undefined) {
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tillgate-matrix', folder])
    if (status !== 0) throw new Error(`no small file system: ${String(stderr)}`)
  }
  await chmod(folder, 0o777)
  // The state is on another disk than the database, as in a real installation.
  const state = await mkdtemp(join(tmpdir(), 'tillgate-matrix-state-'))
  const remove = async () => {
    await rm(state, { recursive: true, force: true })
    if (size !== undefined) spawnSync('umount', ['-l', folder])
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, state, remove }
}

async function subscribe(url: string, { id, key }: Site, endpoints: string): Promise<Subscription[]> {
  const made: Subscription[] = []
  for (const events of registrations) {
    const path = `/${randomUUID()}`
    const body = JSON.stringify({ events, endpointUrl: endpoints + path, locationId: id, recipientId: randomUUID() })
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const answer = await fetch(`${url}/v1/webhooks/`, { method: 'POST', headers, body })
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
    const webhook = (await answer.json()) as { id: string }
    made.push({ id: webhook.id, path, locationId: id, events })
  }
  return made
}

/**
 * Counts what is pending for webhooks; 0 when every webhook is at the head of its journal and no event waits for a
 * retry.
 */
async function countPending(pool: Pool): Promise<number> {
  // Two statements, because Citus does not support a count in a subquery over another table.
  const [aside] = await pool<[{ n: number }]>`select count(*) as n from webhook_retries`
  const [row] = await pool<[{ behind: number; leased: number }]>`
    select coalesce(sum(greatest(s.last_seq - w.cursor, 0)), 0)::bigint as behind,
      count(*) filter (where w.lease_until is not null) as leased
    from webhooks w join location_seq s on s.location_id = w.location_id`
  return row.behind + aside.n + row.leased
}

/** Resolves when everything was delivered, or when nothing changes anymore: the judge then reports what is missing. */
async function drain(pool: Pool, log: (line: string) => void): Promise<number> {
  const began = performance.now()
  let least = Infinity
  let movedAt = began
  let unread = ''
  while (performance.now() - movedAt < stuckMs) {
    const pending = await countPending(pool).catch((error: unknown) => {
      unread = (error as Error).message
      return Infinity
    })
    if (pending === 0) return Math.round(performance.now() - began)
    if (pending < least) movedAt = performance.now()
    least = Math.min(least, pending)
    await delay(200)
  }
  log(`${least} are still pending, and nothing moves`)
  if (unread) log(`how many are pending could not be read: ${unread}`)
  return Math.round(performance.now() - began)
}

/**
 * Runs one cell of the table: tills push, readers read and webhooks are received while the fault is injected into the
 * topology. Then the fault is healed, all work finishes, and the clients' records are compared with the stored data.
 * The seed determines what is pushed and harmed, but not the timing.
 */
export async function runCell(options: CellOptions): Promise<CellResult> {
  const { topology, fault, seconds, acknowledged = 1, seed, control, log = () => {} } = options
  const randomOf = (name: string) => new Random(hash('sha256', `${seed} ${topology} ${fault} ${name}`))
  const { folder, state, remove } = await makeFolder(fault)
  const ledger = emptyLedger()
  // The judge also reads former servers, which have another timeline.
  timelines.acceptAll()
  const ends: (() => Promise<unknown>)[] = [remove]
  try {
    const endpoints = await startEndpoints(ledger, randomOf('endpoints'))
    ends.push(() => endpoints.close())
    const installation = await install(topology, folder, state)
    ends.push(() => installation.stop())
    ends.push(() => Promise.all(installation.servings.map((serving) => serving.kill())))

    const { sites, subscriptions } = await withDirect(installation, async (pool) => {
      const sites: Site[] = []
      for (let i = 0; i < sitesPerCell; i++) {
        const id = await addLocation(pool)
        sites.push({ id, key: (await addKey(pool, id)).key })
      }
      const url = installation.apis()[0] as string
      const made: Subscription[] = []
      for (const site of sites) made.push(...(await subscribe(url, site, endpoints.url)))
      return { sites, subscriptions: made }
    })

    const beganAt = performance.now()
    // Damage that the checker must detect is always completed, even if that takes longer than `seconds`.
    let isDamaged = control === undefined && !doesEnd(fault)
    const isOver = () => {
      const passed = (performance.now() - beganAt) / 1_000
      return isDamaged && passed >= seconds && (passed >= 3 * seconds || countAcknowledged(ledger) >= acknowledged)
    }
    let isAtRest = false
    const client = (site: Site, name: string): ClientOptions => ({
      urls: installation.apis,
      site,
      random: randomOf(name),
      ledger,
      isOver,
    })
    const working = sites.flatMap((site, i) =>
      Array.from({ length: tillsPerSite }, (_, j) => {
        const name = `till ${i + 1}.${j + 1}`
        const orders = Array.from({ length: ordersPerTill }, (_unused, n) => j * ordersPerTill + n + 1)
        return runTill({ ...client(site, name), name, orders })
      }),
    )
    const reading = sites.flatMap((site, i) =>
      Array.from({ length: readersPerSite }, (_, j) =>
        runReader({ ...client(site, `reader ${i + 1}.${j + 1}`), isOver: () => isAtRest }),
      ),
    )
    const looking = sites.map((site, i) => runLooker(client(site, `looker ${i + 1}`), tillsPerSite * ordersPerTill))
    const harm = { installation, folder, random: randomOf('harm'), sites, ledger, isOver, log }
    const harming = faults[fault].run(harm).finally(() => (isDamaged ||= control === undefined))
    if (control) {
      await delay((seconds * 1_000) / 4)
      const damaging = withDirect(installation, (pool) =>
        damageWhileRunning(control, installation, { folder, ledger, pool }),
      )
      await damaging.finally(() => (isDamaged = true))
    }
    const [harms] = await Promise.all([harming, ...working, ...looking])
    log('all is up again')
    return await withDirect(installation, async (pool) => {
      await waitForAnswer(pool, () => startEnded(installation.parts, log))
      const drainedMs = await drain(pool, log)
      // A reader waits a second for new events and then has all of them.
      await delay(1_500)
      isAtRest = true
      await Promise.all(reading)
      if (control) await damageAtRest(control, pool)
      const losses = JSON.parse(await tillgateIn(installation, ['loss', 'list', '--json'])) as ReportedLoss[]
      const judgement = await judge(pool, ledger, { subscriptions, losses })
      const exitCodes = await Promise.all(installation.servings.map((serving) => serving.stop()))
      for (const [i, code] of exitCodes.entries()) {
        const { name, output } = installation.servings[i] as Installation['servings'][number]
        if (code !== 0) judgement.faults.push(`${name} ended with ${code}: ${output.slice(-500)}`)
        if (/Unhandled|throw er;|internal_error/.test(output)) judgement.faults.push(`${name}: ${oddLine(output)}`)
      }
      return { ...judgement, harms, drainedMs, exitCodes }
    })
  } finally {
    for (const end of ends.toReversed()) await end().catch((error: unknown) => log(`not ended: ${String(error)}`))
  }
}

const oddLine = (output: string) =>
  output
    .split('\n')
    .find((line) => /Unhandled|throw er;|internal_error/.test(line))
    ?.slice(0, 500)

async function withDirect<T>(installation: Installation, work: (pool: Pool) => Promise<T>): Promise<T> {
  const { connection, release } = await installation.direct()
  const pool = openPool(connection, { connections: 2, pipelining: true })
  try {
    return await work(pool)
  } finally {
    await pool.end({ timeout: 1 })
    await release()
  }
}

/** Waits until the database answers. Calls `whenAway` before each further attempt. */
async function waitForAnswer(pool: Pool, whenAway: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return void (await pool`select 1`)
    } catch (error) {
      if (tries === 300) throw error
      await delay(200)
      await whenAway()
    }
  }
}
