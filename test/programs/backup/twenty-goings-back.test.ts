import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOpener } from '../../../src/modules/backup/format/encryption.ts'
import { chooseLocation } from '../../../src/modules/backup/format/manifest.ts'
import { restoreLocation } from '../../../src/modules/backup/format/restore.ts'
import { readManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { openPool, transact } from '../../../src/core/store/db/database.ts'
import { migrate } from '../../../src/core/store/db/migrations.ts'
import { listLosses } from '../../../src/core/store/journal/losses.ts'
import { resumeJournal } from '../../../src/core/store/journal/resumption.ts'
import { deleteLocation } from '../../../src/core/store/repair/location-states.ts'
import { startApp, type Site, type TestApp } from '../../support/app.ts'
import { atEnd, createDatabase, type TestDatabase } from '../../support/database.ts'
import { findPrograms, placePrograms } from '../../../scripts/postgres-programs.ts'
import { copyRunning, writeAsServer } from '../../support/matrix/leading.ts'
import { PostgresNode, asServer } from '../../support/matrix/postgres-node.ts'
import { freePort } from '../../support/ports.ts'
import { order, orderOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { eventually } from '../../support/waiting.ts'
import { backUp, newDirectory, restore } from './support.ts'

/** Returns the same numbers for the same seed (mulberry32). */
function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

type Ack = { locationId: string; seq: number; id: string }

/** A database that records sales, and the node where it runs: null for the embedded server. */
type Shop = { app: TestApp; node: PostgresNode | null; timeline: number }

const folder = await mkdtemp(join(tmpdir(), 'tillgate-twenty-'))
await chmod(folder, 0o777)
const nodes: PostgresNode[] = []
atEnd(async () => {
  for (const node of nodes) await node.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Returns the directory of a major version's programs; undefined for Debian's. */
const binOf = (major: number) => (major === 15 ? undefined : placePrograms(findPrograms(major), folder))

async function startNode(node: PostgresNode): Promise<void> {
  nodes.push(node)
  await node.start()
}

function databaseOf(node: PostgresNode): TestDatabase {
  const { connection } = node
  const pool = openPool(connection, { connections: 2, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  return { connection, pool, server: 'external', close: async () => {} }
}

let made = 0

async function newNode(bin: string | undefined): Promise<PostgresNode> {
  const node = new PostgresNode(join(folder, `n${++made}`), await freePort(), bin)
  await node.create(['fsync = off'])
  await startNode(node)
  const pool = openPool(node.connection, { connections: 1, pipelining: true })
  await migrate(pool)
  await pool.end({ timeout: 1 })
  return node
}

/** Takes a base backup, which is not started. */
async function takeBase(of: PostgresNode): Promise<string> {
  const path = join(folder, `b${++made}`)
  await copyRunning(of, path)
  return path
}

/** Recovers a base backup to the end of its own log, without the archive of another recovery. */
async function recover(base: string, bin: string | undefined): Promise<PostgresNode> {
  const node = new PostgresNode(join(folder, `r${++made}`), await freePort(), bin)
  await asServer('cp', ['-a', base, node.data])
  await node.configure(["restore_command = 'false'", "primary_conninfo = ''", "recovery_target_action = 'promote'"])
  await writeAsServer(join(node.data, 'recovery.signal'), '')
  await startNode(node)
  const pool = openPool(node.connection, { connections: 1, pipelining: true })
  await eventually(async () => {
    const [row] = await pool<{ isOver: boolean }[]>`select not pg_is_in_recovery() as "isOver"`
    return row?.isOver === true
  }, 'the recovery is over')
  await pool.end({ timeout: 1 })
  return node
}

class Lineage {
  readonly draw: (below: number) => number
  readonly bin: string | undefined
  readonly hasNodes: boolean
  readonly contents = new Map<string, string>()
  readonly steps: string[] = []
  readonly left: Shop[] = []
  readonly copies: string[] = []
  readonly bases: { path: string; timeline: number }[] = []
  /** Acknowledged records that are stored in the current database and were not reported as lost. */
  acks: Ack[] = []
  current: Shop
  directory = newDirectory()
  sites: Site[] = []
  highest = 1
  #sold = 0

  /** Uses nodes of this major version if its programs are installed. */
  constructor(current: Shop, seed: number, major: number) {
    this.current = current
    this.hasNodes = existsSync(join(findPrograms(major), 'postgres'))
    this.bin = this.hasNodes ? binOf(major) : undefined
    this.draw = drawing(seed)
  }

  get #now() {
    // The clock often stands still, so that several restores happen at the same time.
    return new Date(Date.UTC(2026, 3, 1) + this.draw(3) * 1_000)
  }

  async sell({ app }: Shop, isCurrent: boolean): Promise<void> {
    for (const { id, key } of this.sites) {
      const records = Array.from({ length: 1 + this.draw(3) }, () => order(orderOf(id, ++this.#sold)))
      const answer = await app.push(records, { key })
      if (!isCurrent && answer.status === 503) {
        assert.equal(answer.json.code, 'database_went_back')
        continue
      }
      assert.equal(answer.status, 200, answer.text)
      if (!isCurrent) continue
      for (const { sequence, id: of } of answer.json.results) this.acks.push({ locationId: id, seq: sequence, id: of })
    }
  }

  async look({ app }: Shop): Promise<void> {
    for (const { id, key } of this.sites) {
      const answer = await app.get('/v1/events/?limit=1000', { key })
      if (answer.status !== 200) continue
      for (const event of answer.json.data) {
        const text = JSON.stringify(event)
        assert.equal(this.contents.get(event.id) ?? text, text, `${event.id} has two contents`)
        this.contents.set(event.id, text)
      }
      assert.equal((await verifyLocation(app.pool, id)).verified, true)
    }
  }

  /** Checks that acknowledged entries exist, or are reported as lost. */
  async account(): Promise<void> {
    const { pool } = this.current.app
    const losses = await listLosses(pool)
    const kept: Ack[] = []
    for (const ack of this.acks) {
      const [entry] =
        await pool`select 1 from journal where location_id = ${ack.locationId} and seq = ${ack.seq} and id = ${ack.id}`
      if (entry) kept.push(ack)
      else {
        const isReported = losses.some(
          ({ locationId, from, to }) => locationId === ack.locationId && from <= ack.seq && ack.seq <= to,
        )
        assert.ok(isReported, `${ack.seq} of ${ack.locationId} is gone and not reported: ${JSON.stringify(losses)}`)
      }
    }
    this.acks = kept
  }

  get acknowledged(): Map<string, number> {
    return new Map(this.sites.map(({ id }) => [id, this.current.app.context.seenHeads.of(id)]))
  }

  async goOnWith(shop: Shop, acknowledged: ReadonlyMap<string, number>): Promise<void> {
    this.left.push(this.current)
    this.current = shop
    this.directory = newDirectory()
    // The state outside of the database is updated, as by `serve`.
    for (const [id, seq] of acknowledged) shop.app.context.seenHeads.raise(id, seq)
    shop.app.context.seenHeads.takePassed()
  }

  async step(): Promise<string> {
    const kinds = ['copy', 'restore', 'location', 'location', 'resume', 'old', 'base', 'recover'] as const
    const kind = kinds[this.draw(kinds.length)] as (typeof kinds)[number]
    const { app, node } = this.current
    const copy = this.copies[this.draw(this.copies.length)]
    const acknowledged = this.acknowledged
    if (kind === 'copy' || copy === undefined) {
      const dir = newDirectory()
      await backUp(app.pool, dir)
      this.copies.push(dir)
      return 'copy'
    }
    if (kind === 'restore') {
      const onNode = this.hasNodes && this.draw(2) === 0
      const target = onNode ? await newNode(this.bin) : null
      const database = target ? databaseOf(target) : await createDatabase()
      await restore(database.pool, copy, { now: this.#now, acknowledged })
      await this.goOnWith({ app: await startApp({ database }), node: target, timeline: 1 }, new Map())
      // Another cluster has its own timelines.
      this.highest = 1
      this.bases.length = 0
      return `restore${onNode ? ' on a node' : ''}`
    }
    if (kind === 'location') {
      const [site] = this.sites
      await backUp(app.pool, this.directory)
      if (this.draw(2) === 0) await this.sell(this.current, true)
      const seen = this.acknowledged
      await deleteLocation(app.pool, site?.id as string, this.#now)
      const manifest = await readManifest(copy)
      const opener = await createOpener(null, manifest.encryption)
      const chosen = chooseLocation(manifest, site?.id as string)
      const options = { dir: copy, opener, now: this.#now, delivers: true, acknowledged: seen }
      await restoreLocation(app.pool, manifest, chosen, options)
      const { left } = await backUp(app.pool, this.directory)
      assert.deepEqual(left, [], 'no location is stopped')
      return 'location'
    }
    if (kind === 'resume') {
      for (const { id } of this.sites) {
        await transact(app.pool, (tx) => resumeJournal(tx, id, { reason: 'a drill', now: this.#now }))
      }
      return 'resume'
    }
    if (kind === 'base' && node) {
      this.bases.push({ path: await takeBase(node), timeline: this.current.timeline })
      return 'base'
    }
    const fresh = this.bases.filter(({ timeline }) => timeline + 1 >= this.highest)
    const base = fresh[this.draw(Math.max(fresh.length, 1))]
    if (kind === 'recover' && base) {
      const recovered = await recover(base.path, this.bin)
      this.highest = base.timeline + 1
      const shop = { app: await startApp({ database: databaseOf(recovered) }), node: recovered, timeline: this.highest }
      await this.goOnWith(shop, acknowledged)
      return 'recover'
    }
    const other = this.left[this.draw(Math.max(this.left.length, 1))]
    if (other) {
      await this.sell(other, false)
      await this.look(other)
    }
    return 'old'
  }
}

for (const [i, major] of [15, 18].entries()) {
  const seed = testSeed + i
  test(`after twenty restores in random order on the embedded server and PostgreSQL ${major} no id has two contents, every loss is reported, and other locations keep working (seed ${seed})`, async (t) => {
    const app = await startApp()
    const run = new Lineage({ app, node: null, timeline: 1 }, seed, major)
    for (let n = 0; n < 2; n++) run.sites.push(await app.addLocation())
    await run.sell(run.current, true)
    const went = new Set(['restore', 'restore on a node', 'location', 'resume', 'recover'])
    for (let back = 0, steps = 0; back < 20 && steps < 80; steps++) {
      const kind = await run.step()
      run.steps.push(kind)
      if (went.has(kind)) back += 1
      await run.sell(run.current, true)
      await run.look(run.current)
      await run.account()
    }
    t.diagnostic(run.steps.join(', '))
  })
}
