import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toAddressRange } from '../../../src/core/domain/addresses/addresses.ts'
import { createSender } from '../../../src/core/delivery/sender/send.ts'
import { WriteQueue } from '../../../src/core/ingest/write/queue.ts'
import { Budgets } from '../../../src/modules/sources/polling/budget.ts'
import { endOf, runSource } from '../../../src/modules/sources/polling/poller.ts'
import { SeenDocuments } from '../../../src/modules/sources/polling/seen-documents.ts'
import { openSource, Run, type RunDeps } from '../../../src/modules/sources/polling/run.ts'
import { randomOf } from '../../../simulator/random.ts'
import type { Pull } from '../../../src/modules/sources/adapters/pull.ts'
import { assembleTicket } from '../../../src/modules/sources/adapters/ticket/assemble.ts'
import { assembleClosing } from '../../../src/modules/sources/adapters/ticket/closing.ts'
import { LeaseLost, claimSource, endRun, type RunEnd } from '../../../src/modules/sources/store/runs.ts'
import {
  findSourceAnywhere,
  insertSource,
  resumeSource,
  type SourceRow,
} from '../../../src/modules/sources/store/sources.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { byId } from './golden.ts'
import type { FakeServer, VirtualClock } from './faults.ts'

type Json = any

const leaseMs = 120_000
const dayMs = 86_400_000

/** Thrown at the point where the poller is killed: the poller sends nothing more. */
class Killed extends Error {}

export type Polled = {
  source: SourceRow
  deps: RunDeps
  /** One run, killed at a random point or not; resolves to how it ended. */
  run(options?: { mayDie?: boolean }): Promise<'done' | 'failed' | 'stopped' | 'killed' | 'not due'>
  /** One run as in the delivery role, with the nightly comparison when that is due. */
  runWhole(): Promise<RunEnd>
  find(): Promise<SourceRow>
  stored(): Promise<Json[]>
  close(): Promise<void>
}

/** Opens a source on a fake server, and a poller with the shop's clock. */
export async function pollOf(
  pool: Pool,
  {
    adapter,
    account,
    locationId,
    fake,
    clock,
    seed,
    skewMs = 0,
    secretOf = (token) => token,
  }: {
    adapter: string
    account: string
    locationId: string
    fake: FakeServer
    clock: VirtualClock
    seed: number
    /** Milliseconds by which the shop's clock is ahead. */
    skewMs?: number
    secretOf?: (token: string) => string
  },
): Promise<Polled> {
  const random = randomOf('poller', seed)
  const now = () => new Date(clock.ms - skewMs)
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-source-'))
  const file = join(folder, 'secret')
  const asker = createSender({ allowHttp: true, allowAddresses: [toAddressRange('127.0.0.0/8')] })
  const queue = new WriteQueue(pool, now)
  let mayDie = false
  const perhapsDie = () => {
    if (mayDie && random.chance(0.06)) throw new Killed()
  }
  const deps: RunDeps = {
    pool,
    writer: {
      async write(...given) {
        perhapsDie()
        const outcomes = await queue.write(...given)
        perhapsDie()
        return outcomes
      },
    },
    asker: {
      async ask(request) {
        perhapsDie()
        return asker.ask(request)
      },
    },
    budgets: new Budgets(),
    seen: new SeenDocuments(),
    clock: now,
    pause: async (ms) => clock.advance(ms),
    random: () => random.next(),
    leaseMs,
    deadlineMs: 40,
    isEnding: () => false,
    limits: { secretsDir: folder, urls: [fake.url] },
  }
  const id = randomUUID()
  const readsFrom = new Date(clock.ms - 3 * dayMs)
  const given = { locationId, id, adapter, account, secret: `file:${file}`, bellSecret: null, baseUrl: fake.url }
  await insertSource(pool, { ...given, profile: {}, everySeconds: 300, createdAt: now(), readsFrom })
  await resumeSource(pool, locationId, id, now())
  fake.rotated = () => writeFileSync(file, secretOf(fake.token))
  fake.rotated()
  const find = async () => (await findSourceAnywhere(pool, id)) as SourceRow
  const source = await find()
  return {
    source,
    deps,
    find,
    async run(options = {}) {
      const lease = { locationId, id, token: randomUUID() }
      const claimed = await claimSource(pool, { ...lease, now: now(), leaseMs })
      if (!claimed) return 'not due'
      mayDie = options.mayDie ?? false
      // No response is a fault only while faults are on: under high load a correct response also takes long.
      deps.deadlineMs = mayDie ? 40 : 20_000
      try {
        const began = now()
        const run = new Run(claimed, lease, deps, await openSource(claimed, deps, lease))
        const rereadAt = run.isDaily ? began : null
        await run.readAll()
        await endRun(pool, lease, { kind: 'done', rereadAt, comparedAt: null, dueAt: now() }, now())
        return 'done'
      } catch (error) {
        if (error instanceof Killed) {
          deps.seen = new SeenDocuments()
          return 'killed'
        }
        if (error instanceof LeaseLost) throw error
        const end = endOf(error, claimed, now(), random.next())
        assert.notEqual(end.kind, 'stopped', (error as Error).message)
        await endRun(pool, lease, end, now())
        return 'failed'
      } finally {
        mayDie = false
      }
    },
    async runWhole() {
      const lease = { locationId, id, token: randomUUID() }
      const claimed = await claimSource(pool, { ...lease, now: now(), leaseMs })
      assert.ok(claimed, 'the source is not due')
      deps.deadlineMs = 20_000
      const { end } = await runSource(claimed, lease, deps)
      await endRun(pool, lease, end, now())
      return end
    },
    async stored() {
      const rows = await pool<{ document: string }[]>`
        select document from orders where location_id = ${locationId} union all
        select document from reports where location_id = ${locationId}`
      return rows.map(({ document }) => JSON.parse(document) as Json)
    },
    async close() {
      await asker.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Returns the records of all documents of a shop, converted at once. */
export function recordsOf(
  pull: Pull,
  documents: readonly Json[],
  { locationId, account }: { locationId: string; account: string },
) {
  const profile = { account, timeZone: 'Europe/London', currency: 'GBP', dayStartsAt: '04:00' }
  const mapped = pull.map(documents, profile)
  assert.deepEqual(mapped.refused, [])
  const orders = mapped.tickets.map((ticket) => {
    const made = assembleTicket(ticket, { locationId, decimals: 2 })
    assert.ok('order' in made, JSON.stringify(made))
    return made.order
  })
  return [...orders, ...mapped.closings.map((closing) => assembleClosing(closing, locationId))]
}

export const inOrder = (records: readonly Json[]): Map<string, Json> =>
  byId(records.map((data) => ({ type: 'order', data })))
