import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openPool } from '../../../src/core/store/db/database.ts'
import { startNetwork, type Network } from '../network.ts'
import { freePort } from '../ports.ts'
import { readJournals, type Journal } from './journals.ts'
import { asServer, PostgresNode } from './postgres-node.ts'

/**
 * A node, its cluster and its timeline: nodes of a cluster descend from one first node; each takeover begins a
 * timeline.
 */
export type Standing = { node: PostgresNode; cluster: number; timeline: number }

/** A base backup of a running node, from which it can be recovered. */
export type Base = { path: string; cluster: number }

const timelineText = `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`

export async function writeAsServer(path: string, text: string): Promise<void> {
  await asServer('touch', [path])
  await writeFile(path, text)
}

/** Copies the files of a running node, like `pg_basebackup`, which some builds of PostgreSQL lack. */
export async function copyRunning(node: PostgresNode, path: string): Promise<void> {
  const pool = openPool(node.connection, { connections: 1, pipelining: true })
  try {
    await pool`select pg_backup_start('base', true)`
    // Files removed in the meantime are not needed.
    await asServer('cp', ['-a', node.data, path]).catch(() => {})
    const [row] = await pool<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`
    await rm(join(path, 'postmaster.pid'), { force: true })
    await rm(join(path, 'pg_wal'), { recursive: true })
    await asServer('cp', ['-a', join(node.data, 'pg_wal'), join(path, 'pg_wal')]).catch(() => {})
    await writeAsServer(join(path, 'backup_label'), row?.label ?? '')
  } finally {
    await pool.end({ timeout: 1 })
  }
}

/**
 * The database that leads, behind a network, and the ways to replace it. All databases keep their files until the end.
 */
export class Leading {
  readonly network: Network
  readonly #folder: string
  readonly #bin: string | undefined
  readonly #all: PostgresNode[] = []
  readonly former: Standing[] = []
  #current: Standing
  #made = 0

  private constructor(folder: string, bin: string | undefined, current: Standing, network: Network) {
    this.#folder = folder
    this.#bin = bin
    this.#current = current
    this.network = network
    this.#all.push(current.node)
  }

  /** Opens a leading database. `bin` has its programs; by default those of Debian are used. */
  static async open(folder: string, bin?: string): Promise<Leading> {
    const node = new PostgresNode(join(folder, 'pg'), await freePort(), bin)
    await node.create()
    await node.start()
    return new Leading(folder, bin, { node, cluster: 1, timeline: 1 }, await startNetwork(node.connection))
  }

  get current(): Standing {
    return this.#current
  }

  async #newNode(): Promise<PostgresNode> {
    const node = new PostgresNode(join(this.#folder, `pg${++this.#made}`), await freePort(), this.#bin)
    this.#all.push(node)
    return node
  }

  /** Connects the network to another node from now on. */
  leadTo(next: Standing): void {
    this.former.push(this.#current)
    this.#current = next
    this.network.redirect(next.node.connection)
  }

  async takeBase(): Promise<Base> {
    const { node, cluster } = this.#current
    const path = join(this.#folder, `base${++this.#made}`)
    await copyRunning(node, path)
    return { path, cluster }
  }

  async #ofBase({ path }: Base, settings: readonly string[], signal: string): Promise<PostgresNode> {
    const node = await this.#newNode()
    await asServer('cp', ['-a', path, node.data])
    await node.configure(settings)
    await writeAsServer(join(node.data, signal), '')
    await node.start()
    return node
  }

  /** Starts an empty cluster. */
  async found(): Promise<Standing> {
    const node = await this.#newNode()
    await node.create()
    await node.start()
    return { node, cluster: this.#current.cluster + 1, timeline: 1 }
  }

  /** Recovers a base backup to the end of its own log. The new node has no data of other recoveries. */
  async recover(base: Base): Promise<Standing> {
    const settings = ["restore_command = 'false'", "primary_conninfo = ''", "recovery_target_action = 'promote'"]
    const node = await this.#ofBase(base, settings, 'recovery.signal')
    while ((await node.ask<{ is: boolean }>('select pg_is_in_recovery() as is'))[0]?.is) await delay(50)
    return { node, cluster: base.cluster, timeline: await this.#timelineOf(node) }
  }

  /** Starts a replica that follows the leading node. */
  async replicate(): Promise<PostgresNode> {
    const { node } = this.#current
    const place = `host=127.0.0.1 port=${node.port} user=postgres`
    const standby = await this.#ofBase(await this.takeBase(), [`primary_conninfo = '${place}'`], 'standby.signal')
    while ((await node.ask(`select 1 from pg_stat_replication where state = 'streaming'`)).length === 0) await delay(50)
    return standby
  }

  /** Stops replication to a replica from now on. */
  async cutReplica(standby: PostgresNode): Promise<void> {
    await standby.ask(`alter system set primary_conninfo = ''`)
    await standby.ask('select pg_reload_conf()')
  }

  /** Kills the leading node and promotes its replica. */
  async promote(standby: PostgresNode): Promise<void> {
    await this.#current.node.kill()
    await standby.promote()
    this.leadTo({ ...this.#current, node: standby, timeline: await this.#timelineOf(standby) })
  }

  async #timelineOf(node: PostgresNode): Promise<number> {
    return (await node.ask<{ timeline: number }>(timelineText))[0]?.timeline ?? 0
  }

  async stop(): Promise<void> {
    await this.network.close()
    for (const node of this.#all) await node.stop()
  }
}

/** Reads the journals of a former leading node, and stops it. */
export async function readFormer(node: PostgresNode): Promise<Map<string, Journal>> {
  if ((await node.pid()) === undefined) await node.start()
  const pool = openPool(node.connection, { connections: 1, pipelining: true })
  try {
    return await readJournals(pool)
  } finally {
    await pool.end({ timeout: 1 })
    await node.stop()
  }
}
