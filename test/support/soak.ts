import { hash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedDatabase } from '../../src/core/embedded/database.ts'
import { Random } from '../../simulator/random.ts'
import type { EventType } from '../../src/core/schemas/events.ts'
import { openPool, type Connection, type Pool } from '../../src/core/store/db/database.ts'
import { migrate } from '../../src/core/store/db/migrations.ts'
import { addKey, addLocation, type Site } from './app.ts'
import { startProcess, type Process } from './processes.ts'
import type { ApiProcessOptions } from './processes/api.ts'
import type { DeliveryProcessOptions } from './processes/delivery.ts'
import type { ReceiverProcessOptions } from './processes/receiver.ts'
import { linesOf, order, versionOf } from './records.ts'
import { judge, type Acknowledged, type SoakWebhook, type Verdict } from './soak-verdict.ts'
import { eventually } from './waiting.ts'

export type SoakOptions = {
  /** Time of pushing and killing, without starting, draining and judging. */
  seconds: number
  seed: number
  log?: (line: string) => void
}

export type SoakResult = Verdict & { kills: Record<string, number>; pushes: number }

const locations = 3
const ordersPerTill = 40
const tillsPerLocation = 2
const leaseMs = 1_500

const registered: EventType[][] = [
  ['order.created', 'order.updated', 'order.paid'],
  ['order.paid', 'order.canceled'],
]

/** Time limit for the last event, with everything running again. */
const drainMs = 60_000

/** One part of the installation, which is killed and restarted. */
type Part = { name: string; kill(): Promise<void>; start(): Promise<void> }

/** Starts a process that can be restarted with the same options. */
async function partOf(
  name: string,
  script: Parameters<typeof startProcess>[0],
  options: (ready: any) => unknown,
): Promise<Part & { process(): Process }> {
  let running = await startProcess(script, options(undefined))
  const { ready } = running
  return {
    name,
    process: () => running,
    kill() {
      running.assertRunning()
      return running.kill()
    },
    async start() {
      running = await startProcess(script, options(ready))
    },
  }
}

/** Returns a part whose worker is killed, or paused for so long that it may lose its leases. */
function orPaused(part: Part & { process(): Process }, random: Random): typeof part {
  let pause: Promise<unknown> | undefined
  return {
    ...part,
    async kill() {
      await pause
      pause = undefined
      part.process().assertRunning()
      if (random.chance(0.5)) return part.kill()
      const { pid } = part.process()
      process.kill(pid, 'SIGSTOP')
      pause = delay(random.int(500, 2 * leaseMs)).then(() => process.kill(pid, 'SIGCONT'))
    },
    async start() {
      if (!pause) await part.start()
    },
  }
}

/** Finds a backend process of PostgreSQL; if it is killed, PostgreSQL ends all others and recovers in a moment. */
async function findBackend(connection: Connection): Promise<number | undefined> {
  const pool = openPool(connection, { connections: 1, pipelining: true })
  try {
    const rows = await pool<{ pid: number }[]>`
      select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`
    return rows[0]?.pid
  } finally {
    await pool.end({ timeout: 1 })
  }
}

/** Waits for the end of a recovery: PostgreSQL 18 may hang if it is stopped during one. */
async function waitForAnswer(connection: Connection): Promise<void> {
  const answers = () =>
    findBackend(connection).then(
      () => true,
      () => false,
    )
  await eventually(answers, 'the database answers', 30_000)
}

/** Starts PostgreSQL as a part, which is stopped in order or killed; or only one of its processes is killed. */
async function databasePart(random: Random, dataDir: string) {
  let running = await openEmbeddedDatabase(dataDir)
  const { connection } = running
  return {
    name: 'database',
    connection,
    async kill() {
      const how = random.int(1, 3)
      if (how === 1) return running.stop()
      const pid = how === 2 ? running.pid : await findBackend(connection)
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    },
    async start() {
      running = await openEmbeddedDatabase(dataDir)
      await waitForAnswer(connection)
    },
    async stop() {
      await waitForAnswer(connection)
      await running.stop()
    },
  }
}

/** Pushes new versions of its own orders, repeating each batch until it is acknowledged, as a till does. */
async function till(
  url: string,
  site: Site,
  orders: readonly number[],
  random: Random,
  isOver: () => boolean,
): Promise<{ acknowledged: Acknowledged[]; pushes: number }> {
  const versions = new Map<number, number>()
  const acknowledged: Acknowledged[] = []
  let pushes = 0
  while (!isOver()) {
    const numbers = new Set(Array.from({ length: random.int(1, 12) }, () => random.pick(orders)))
    const batch = [...numbers].map((n) => ({ n, v: (versions.get(n) ?? 0) + 1 }))
    const body = linesOf(batch.map(({ n, v }) => order(versionOf(site.id, n, v))))
    const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': site.key }
    while (!isOver()) {
      pushes += 1
      const signal = AbortSignal.timeout(5_000)
      const answer = await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body, signal }).catch(() => undefined)
      // The answer is read completely, because the process may be killed while it sends.
      const text = await answer?.text().catch(() => undefined)
      if (answer?.status === 200 && text !== undefined) {
        for (const { n, v } of batch) {
          versions.set(n, v)
          acknowledged.push({ locationId: site.id, n, v })
        }
        break
      }
      if (answer && answer.status < 500) throw new Error(`a push was refused: ${answer.status} ${text}`)
      await delay(20)
    }
    await delay(random.int(0, 30))
  }
  return { acknowledged, pushes }
}

async function register(url: string, site: Site, receiver: string, events: EventType[]): Promise<SoakWebhook> {
  const path = `/${randomUUID()}`
  const body = { events, endpointUrl: `${receiver}${path}`, locationId: site.id, recipientId: randomUUID() }
  const headers = { 'content-type': 'application/json', 'x-api-key': site.key }
  const answer = await fetch(`${url}/v1/webhooks/`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
  const { id } = (await answer.json()) as { id: string }
  return { id, path, events, locationId: site.id }
}

/** Returns whether every webhook is at the head of its journal and no event waits for a retry. */
async function isDrained(pool: Pool): Promise<boolean> {
  const [row] = await pool`
    select count(*) filter (where w.cursor < s.last_seq or w.lease_until is not null) as behind,
      (select count(*) from webhook_retries) as aside
    from webhooks w join location_seq s using (location_id)`
  return row?.['behind'] === 0 && row['aside'] === 0
}

/** Kills and restarts parts at random moments until the time is up; at the end all parts run. */
async function harass(parts: readonly Part[], random: Random, isOver: () => boolean, log: (line: string) => void) {
  const kills: Record<string, number> = {}
  while (!isOver()) {
    await delay(random.int(200, 1_200))
    const part = random.pick(parts)
    const other = random.chance(0.3) ? random.pick(parts) : part
    const downMs = random.int(0, 400)
    for (const one of new Set([part, other])) {
      log(`kill ${one.name}, back after ${downMs} ms`)
      await one.kill()
      kills[one.name] = (kills[one.name] ?? 0) + 1
    }
    await delay(downMs)
    for (const one of new Set([part, other])) await one.start()
  }
  return kills
}

/**
 * Runs an installation of separate processes (API, two delivery workers, a receiver that sometimes fails, PostgreSQL)
 * whose parts are killed at random while tills push. The seed decides what is pushed and killed.
 */
export async function soak({ seconds, seed, log = () => {} }: SoakOptions): Promise<SoakResult> {
  const randomOf = (name: string) => new Random(hash('sha256', `${seed} ${name}`))
  const directory = await mkdtemp(join(tmpdir(), 'tillgate-soak-'))
  const receipts = join(directory, 'receipts.ndjson')
  const ends: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })]
  try {
    const database = await databasePart(randomOf('database'), join(directory, 'data'))
    ends.push(() => database.stop())
    const { connection } = database
    const pool = openPool(connection, { connections: 2, pipelining: true })
    ends.push(() => pool.end({ timeout: 1 }))
    await migrate(pool)
    const sites: Site[] = []
    for (let i = 0; i < locations; i++) {
      const id = await addLocation(pool)
      sites.push({ id, key: (await addKey(pool, id)).key })
    }

    const receiver = await partOf('receiver', 'receiver', (ready) => {
      return { port: ready?.port ?? 0, file: receipts, failures: 0.05 } satisfies ReceiverProcessOptions
    })
    const api = await partOf('api', 'api', (ready) => {
      return { connection, port: ready ? Number(new URL(ready.url).port) : 0 } satisfies ApiProcessOptions
    })
    const worker = async (name: string) => {
      const part = await partOf(name, 'delivery', () => {
        const quick = { leaseMs, sweepMs: 100, scheduleScale: 0.01, longestWaitMs: 300, deadlineMs: 3_000 }
        return { connection, ...quick } satisfies DeliveryProcessOptions
      })
      return orPaused(part, randomOf(name))
    }
    const workers = [await worker('worker one'), await worker('worker two')]
    const parts = [receiver, api, ...workers]
    ends.push(() => Promise.all(parts.map((part) => part.process().kill())))

    const url: string = api.process().ready.url
    const receiverUrl = `http://127.0.0.1:${receiver.process().ready.port}`
    const webhooks: SoakWebhook[] = []
    for (const site of sites) {
      for (const events of registered) webhooks.push(await register(url, site, receiverUrl, events))
    }

    const endsAt = Date.now() + seconds * 1_000
    const isOver = () => Date.now() >= endsAt
    const tills = sites.flatMap((site, i) =>
      Array.from({ length: tillsPerLocation }, (_, j) => {
        const orders = Array.from({ length: ordersPerTill }, (_unused, n) => j * ordersPerTill + n + 1)
        return till(url, site, orders, randomOf(`till ${i} ${j}`), isOver)
      }),
    )
    const [kills, ...pushed] = await Promise.all([
      harass([...parts, database], randomOf('kills'), isOver, log),
      ...tills,
    ])
    log('all is up again; waiting until every event has arrived')
    await eventually(() => isDrained(pool).catch(() => false), 'every webhook is at the head of its journal', drainMs)
    const verdict = await judge(
      pool,
      webhooks,
      receipts,
      pushed.flatMap(({ acknowledged }) => acknowledged),
    )
    return { ...verdict, kills, pushes: pushed.reduce((sum, { pushes }) => sum + pushes, 0) }
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}
