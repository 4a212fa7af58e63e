import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openPool } from '../../../src/core/store/db/database.ts'
import { locationOf } from '../records.ts'
import { eventually } from '../waiting.ts'
import { tillgateIn } from './command.ts'
import type { Harm } from './harm.ts'
import { readJournals, type Journal } from './journals.ts'
import { readFormer, type Base, type Leading } from './leading.ts'
import type { Installation } from './topologies.ts'

/** Topologies in which every kind of restore to an earlier state is tested. */
export const canGoBack: readonly string[] = ['embedded', 'own', 'own-18']

const goings = 20

/** How long a process may use its cached knowledge of a key. */
const keyKnownMs = 5_000

type Journals = ReadonlyMap<string, Journal>

/** The earlier states to restore: backups, base backups of nodes, and copies of the files of the embedded server. */
type Kept = { backups: string[]; bases: Base[]; files: string[]; made: number }

/**
 * Restores an earlier state; resolves to a reader of the abandoned journals. False if that is not possible at the
 * moment.
 */
type Way = (harm: Harm, kept: Kept) => Promise<false | (() => Promise<Journals>)>

/** Copies files with their owners and modes. */
const copyFiles = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

async function stopAll({ servings }: Installation): Promise<void> {
  const codes = await Promise.all(servings.map((serving) => serving.stop()))
  if (codes.some((code) => code !== 0)) throw new Error(`serve ended with ${codes.join()}`)
}

async function startAll({ servings }: Installation): Promise<void> {
  for (const serving of servings) await serving.start()
}

async function readNow({ direct }: Installation): Promise<Journals> {
  const { connection, release } = await direct()
  const pool = openPool(connection, { connections: 1, pipelining: true })
  try {
    return await readJournals(pool)
  } finally {
    await pool.end({ timeout: 1 })
    await release()
  }
}

async function backUp({ installation, folder }: Harm, kept: Kept): Promise<string> {
  const dir = join(folder, `backup${++kept.made}`)
  await tillgateIn(installation, ['backup', dir])
  return dir
}

const nodeOf = ({ leading }: Installation): Leading => {
  if (!leading) throw new Error('no other server can take the place of this one')
  return leading
}

/** Restores everything from a backup, as documented: the server is stopped, and starts on the restored data. */
const restore: Way = async ({ installation, random }, { backups }) => {
  const { leading, dataDir } = installation
  await stopAll(installation)
  let former: () => Promise<Journals>
  if (leading) {
    const { node } = leading.current
    former = () => readFormer(node)
    leading.leadTo(await leading.found())
  } else {
    const journals = await readNow(installation)
    former = async () => journals
    const cluster = join(dataDir as string, 'postgres')
    await rename(cluster, `${cluster}.broken-${Date.now()}`)
  }
  await tillgateIn(installation, ['restore', random.pick(backups), '--deliver'])
  await startAll(installation)
  return former
}

/** Deletes one location and restores it from a backup; the other locations are not affected. */
const location: Way = async (harm, kept) => {
  const { installation, random, sites, ledger } = harm
  const { id, key } = random.pick([...sites])
  const copy = random.pick(kept.backups)
  ledger.away.set(id, Infinity)
  await tillgateIn(installation, ['location', 'deactivate', id])
  for (const url of installation.apis()) {
    // A process may accept the key for some more seconds.
    const isRefused = async () =>
      (await fetch(`${url}/v1/locations/own`, { headers: { 'x-api-key': key } })).status === 403
    await eventually(isRefused, 'the location is not used any more')
  }
  const journals = await readNow(installation)
  const confirmed = ['--grace', '0', '--confirm', locationOf(id).name]
  await tillgateIn(installation, ['location', 'delete', id, ...confirmed])
  await tillgateIn(installation, ['restore', copy, '--location', id])
  const webhooks = JSON.parse(await tillgateIn(installation, ['webhook', 'list', '--location', id, '--json']))
  for (const { id: webhook } of webhooks as { id: string }[])
    await tillgateIn(installation, ['webhook', 'enable', webhook])
  ledger.away.set(id, performance.now() + keyKnownMs)
  return async () => new Map([...journals].filter(([of]) => of === id))
}

/** Recovers a base backup, which replaces the server that it was taken from. */
const recover: Way = async ({ installation, random }, { bases }) => {
  const leading = nodeOf(installation)
  const { cluster, timeline, node } = leading.current
  const own = bases.filter((base) => base.cluster === cluster)
  if (own.length === 0) return false
  const next = await leading.recover(random.pick(own))
  if (next.timeline >= timeline) leading.leadTo(next)
  else {
    // The new server has fewer entries than its predecessor, so an operator must confirm it.
    await stopAll(installation)
    leading.leadTo(next)
    await tillgateIn(installation, ['resume', '--yes', '--reason', 'recovered to an earlier time'])
    await startAll(installation)
  }
  return () => readFormer(node)
}

/** Replaces a primary with its replica, which may lag. */
const failOver: Way = async ({ installation, random }) => {
  const leading = nodeOf(installation)
  const { node } = leading.current
  const standby = await leading.replicate()
  if (random.chance(0.5)) {
    await leading.cutReplica(standby)
    await delay(random.int(100, 500))
  }
  await leading.promote(standby)
  return () => readFormer(node)
}

/** Puts a former primary back at the known address, where it is refused. Nothing is lost. */
const formerPrimary: Way = async ({ installation, random }) => {
  const leading = nodeOf(installation)
  const { cluster, timeline, node } = leading.current
  const own = leading.former.filter((one) => one.cluster === cluster && one.timeline < timeline)
  if (own.length === 0) return false
  const back = random.pick(own).node
  await back.start()
  leading.network.redirect(back.connection)
  await delay(random.int(500, 2_000))
  leading.network.redirect(node.connection)
  await back.stop()
  return async () => new Map()
}

/** Replaces the files of the embedded server with its older files. */
const olderFiles: Way = async ({ installation, random }, { files }) => {
  const cluster = join(installation.dataDir as string, 'postgres')
  if (files.length === 0) return false
  await stopAll(installation)
  const journals = await readNow(installation)
  await rename(cluster, `${cluster}.newer-${Date.now()}`)
  await copyFiles(random.pick(files), cluster)
  await tillgateIn(installation, ['resume', '--yes', '--reason', 'older files of the same server'])
  await startAll(installation)
  return async () => journals
}

const ways = { restore, location, recover, failOver, formerPrimary, olderFiles }

const waysOf = ({ leading }: Installation): (keyof typeof ways)[] =>
  leading ? ['restore', 'location', 'recover', 'failOver', 'formerPrimary'] : ['restore', 'location', 'olderFiles']

/** Saves one more earlier state to restore. */
async function keep(harm: Harm, kept: Kept): Promise<void> {
  const { installation, random, folder } = harm
  if (kept.backups.length === 0 || random.chance(0.4)) kept.backups.push(await backUp(harm, kept))
  if (installation.leading) {
    if (random.chance(0.4)) kept.bases.push(await installation.leading.takeBase())
  } else if (random.chance(0.3)) {
    await stopAll(installation)
    const path = join(folder, `files${++kept.made}`)
    const cluster = join(installation.dataDir as string, 'postgres')
    await copyFiles(cluster, path)
    await startAll(installation)
    kept.files.push(path)
  }
}

/** Restores random earlier states in random order, and records the abandoned journals each time. */
export async function goBackOften(harm: Harm): Promise<number> {
  const { installation, random, ledger, log } = harm
  const kept: Kept = { backups: [], bases: [], files: [], made: 0 }
  for (let done = 0; done < goings;) {
    await delay(random.int(300, 1_500))
    await keep(harm, kept)
    await delay(random.int(0, 800))
    const name = random.pick(waysOf(installation))
    const beganAt = performance.now()
    const former = await ways[name](harm, kept)
    if (former === false) continue
    const endedAt = performance.now()
    ledger.abandoned.push({ beganAt, endedAt, journals: await former() })
    done += 1
    log(`went back ${done} times: ${name}`)
  }
  return goings
}
