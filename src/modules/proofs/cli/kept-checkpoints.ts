import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { isSignedBy, readNote, readVerifierKey, type TreeHead } from '../domain/notes.ts'
import { readKept } from '../projections/verify-checkpoints.ts'
import { CliError } from '../../../core/server/errors.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findHead } from '../../../core/store/journal/journal.ts'

/** A checkpoint stored elsewhere, and its journal. */
export type KeptCheckpoint = TreeHead & { file: string; locationId: string; epoch: string }

const form = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{8})(?:\.\d+)?$/

/** Reads files of checkpoints. If keys are given, each checkpoint must be signed by one of them. Throws `CliError`. */
async function readKeptCheckpoints(files: readonly string[], keys: readonly string[]): Promise<KeptCheckpoint[]> {
  const known = keys.map((text) => {
    const key = readVerifierKey(text)
    if (!key) throw new CliError('usage', `--key must be a verifier key, name+id+key, not ${JSON.stringify(text)}`)
    return key
  })
  const kept: KeptCheckpoint[] = []
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new CliError('file_unreadable', `${file} cannot be read: ${(error as Error).message}`, { cause: error })
    })
    const head = readKept(file, text)
    const [, locationId, epoch] = form.exec(head?.origin ?? '') ?? []
    const note = readNote(text)
    if (!head || !note || locationId === undefined || epoch === undefined)
      throw new CliError(
        'checkpoint_invalid',
        `${file} is not a checkpoint of a location: give a file that tillgate checkpoint make wrote`,
      )
    if (known.length > 0 && !known.some((key) => key.name === head.origin && isSignedBy(note, key)))
      throw new CliError(
        'checkpoint_invalid',
        `${file} is not signed by the owner of a given key: add the verifier key of its signer with --key`,
      )
    kept.push({ ...head, locationId, epoch })
  }
  return kept
}

/** Throws `CliError` unless each checkpoint belongs to an existing journal that this run verifies. */
async function requireLocations(pool: Pool, kept: readonly KeptCheckpoint[], ids: readonly string[]): Promise<void> {
  for (const { file, locationId, epoch } of kept) {
    const head = ids.includes(locationId) ? await findHead(pool, locationId) : undefined
    if (head?.epoch === epoch) continue
    const found = head
      ? `its journal has epoch ${head.epoch}: give a checkpoint of that epoch`
      : 'this run does not verify it: add it with --location'
    throw new CliError(
      'checkpoint_invalid',
      `${file} belongs to location ${locationId} and epoch ${epoch}, but ${found}`,
    )
  }
}

/** Checkpoints stored elsewhere, for `verify`. */
export const verifying = {
  define(command: Command): void {
    command
      .option('--checkpoint <file...>', 'checkpoints that you kept: the journal must match them')
      .option('--key <key...>', 'verifier keys; each checkpoint must be signed by one of them')
  },
  async readKept({ checkpoint, key }: { checkpoint?: string[]; key?: string[] }) {
    const kept = await readKeptCheckpoints(checkpoint ?? [], key ?? [])
    if (kept.length === 0) return undefined
    return {
      requireLocations: (pool: Pool, ids: readonly string[]) => requireLocations(pool, kept, ids),
      of: (id: string) => kept.filter(({ locationId }) => locationId === id),
    }
  },
}
