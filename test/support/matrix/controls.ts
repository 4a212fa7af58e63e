import { cp, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { eventually } from '../waiting.ts'
import { countStored, type Ledger } from './ledger.ts'
import { asServer, PostgresNode } from './postgres-node.ts'
import type { Installation } from './topologies.ts'

/**
 * Damage that the checker must detect; otherwise a run without faults proves nothing:
 *
 * - `forgotten-writes`: the machine dies, and writes that the database had reported as durable are lost, as with `fsync`
 *   off;
 * - `deleted-entry`: an entry of a journal is deleted by SQL;
 * - `moved-cursor`: a webhook is moved past events that it did not receive;
 * - `swapped-document`: the document of an entry is changed.
 */
export const controls = ['forgotten-writes', 'deleted-entry', 'moved-cursor', 'swapped-document'] as const

export type Control = (typeof controls)[number]

/** Minimum number of acknowledged pushes that are lost. */
const forgotten = 20

/** Resets the disk of the database to its state before these pushes, and starts everything again. */
async function forgetWrites({ parts, servings }: Installation, folder: string, ledger: Ledger): Promise<void> {
  const [database] = parts
  if (!database) throw new Error('no database to forget')
  const node = new PostgresNode(`${folder}/pg`, 0)
  const copy = `${folder}/pg.copy`
  await node.stop()
  await cp(node.data, copy, { recursive: true, preserveTimestamps: true })
  await asOwner(copy)
  await database.start()
  const before = countStored(ledger)
  await eventually(() => countStored(ledger) >= before + forgotten, 'pushes are acknowledged after the copy was made')
  for (const serving of servings) await serving.kill()
  await database.kill()
  await rm(node.data, { recursive: true })
  await cp(copy, node.data, { recursive: true, preserveTimestamps: true })
  await asOwner(node.data)
  await database.start()
  for (const serving of servings) await serving.start()
}

async function asOwner(directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { spawnSync } = await import('node:child_process')
  spawnSync('chown', ['-R', 'nobody:nogroup', directory])
  spawnSync('chmod', ['700', directory])
  await asServer('/bin/true', [])
}

/** Does damage during the run. */
export async function damageWhileRunning(
  control: Control,
  installation: Installation,
  { folder, ledger, pool }: { folder: string; ledger: Ledger; pool: Pool },
): Promise<void> {
  if (control === 'forgotten-writes') return forgetWrites(installation, folder, ledger)
  if (control !== 'moved-cursor') return
  for (let moved = 0; moved < 20; moved++) {
    await pool`update webhooks set cursor = cursor + 3, lease_until = null, lease_token = null`
    await delay(100)
  }
}

/** Does damage after all work has finished. */
export async function damageAtRest(control: Control, pool: Pool): Promise<void> {
  const [entry] = await pool<{ locationId: string; seq: number }[]>`
    select location_id as "locationId", max(seq) / 2 as seq from journal group by location_id limit 1`
  if (!entry) throw new Error('the journal is empty')
  const { locationId, seq } = entry
  if (control === 'deleted-entry') await pool`delete from journal where location_id = ${locationId} and seq = ${seq}`
  if (control === 'swapped-document') {
    await pool`
      update journal set document = replace(document, '"guests":', '"guests":1')
      where location_id = ${locationId} and seq = ${seq}`
  }
}
