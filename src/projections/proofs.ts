import { commitTo } from '../domain/journal/chain.ts'
import type { Redaction } from '../domain/journal/marks.ts'
import { consistencyPath, inclusionPath } from '../domain/journal/merkle.ts'
import { AppError } from '../errors.ts'
import type { Checkpoint } from '../schemas/checkpoints.ts'
import type { Pool, Sql } from '../store/db/database.ts'
import { findCheckpoint } from '../store/books/checkpoints.ts'
import { findLinkedEntry, findSalt, listRedactionSeqs, type LinkedEntry } from '../store/journal/journal.ts'
import { JournalTree, readPositions } from '../store/journal/tree.ts'

const base64 = (parts: readonly Buffer[]) => parts.map((part) => `${part.toString('base64')}\n`).join('')

/** The checkpoint of a size, or the last one. Throws `checkpoint_not_found`. */
export async function getCheckpoint(sql: Sql, locationId: string, size?: number): Promise<Checkpoint> {
  const found = await findCheckpoint(sql, locationId, size)
  if (found) return found.checkpoint
  throw new AppError(
    'checkpoint_not_found',
    size === undefined ? 'nothing of this location was signed yet' : `there is no checkpoint of the size ${size}`,
  )
}

const noEntry = (seq: number) => `there is no entry ${seq}`

type Salted = { entry: LinkedEntry; salt: string }

async function getSalted(sql: Sql, locationId: string, seq: number): Promise<Salted> {
  const [entry, salt] = await Promise.all([findLinkedEntry(sql, locationId, seq), findSalt(sql, locationId, seq)])
  if (!entry || salt === undefined) throw new AppError('entry_not_found', noEntry(seq))
  return { entry, salt }
}

/** What a verifier makes the hash of an entry from, and its document. Nothing of it is believed: it is hashed. */
function extraOf(locationId: string, { entry, salt }: Salted, redaction: string | undefined): string {
  const { seq, epoch, acceptedAt, kind, id, prevSeq, types, commitment, previousHash, document } = entry
  const extra = {
    entry: { locationId, epoch, seq, acceptedAt, kind, id, prevSeq, types, commitment },
    previousHash,
    salt,
    document: document.toString(),
    ...(redaction === undefined ? {} : { redaction }),
  }
  return Buffer.from(JSON.stringify(extra)).toString('base64')
}

type Place = { checkpoint: Checkpoint; tree: JournalTree; indexOf: (seq: number) => number }

/** Finds the redaction that left a document as it is now; undefined where the document is what was accepted. */
async function findRedactionOf(sql: Sql, locationId: string, { entry, salt }: Salted): Promise<number | undefined> {
  if (commitTo(salt, entry.document) === entry.commitment) return undefined
  const { seq } = entry
  const left = commitTo(salt, entry.document)
  for (const at of (await listRedactionSeqs(sql, locationId)).toReversed()) {
    const redaction = await findLinkedEntry(sql, locationId, at)
    const { entries } = JSON.parse(String(redaction?.document)) as Redaction
    if (entries.some(({ sequence, commitment }) => sequence === seq && commitment === left)) return at
  }
  return undefined
}

async function proofText(
  sql: Sql,
  locationId: string,
  { seq, isRedaction }: { seq: number; isRedaction: boolean },
  place: Place,
): Promise<string> {
  const { checkpoint, tree, indexOf } = place
  if (seq > checkpoint.sequence) {
    if ((await findSalt(sql, locationId, seq)) === undefined) throw new AppError('entry_not_found', noEntry(seq))
    const members = { sequence: seq, size: checkpoint.size }
    const detail = `the entry ${seq} is younger than the checkpoint, which covers entries up to ${checkpoint.sequence}`
    throw new AppError('not_checkpointed', detail, { members })
  }
  const [salted, path] = await Promise.all([
    getSalted(sql, locationId, seq),
    inclusionPath(tree.subtree, indexOf(seq), { end: tree.size }),
  ])
  const at = isRedaction ? undefined : await findRedactionOf(sql, locationId, salted)
  const redaction =
    at === undefined ? undefined : await proofText(sql, locationId, { seq: at, isRedaction: true }, place)
  const extra = extraOf(locationId, salted, redaction)
  return `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex ${indexOf(seq)}\n${base64(path)}\n${checkpoint.note}`
}

/**
 * Proves that an entry is in the journal under a checkpoint, the last one unless a size is named: a file of
 * c2sp.org/tlog-proof. Throws `checkpoint_not_found`, `not_checkpointed`, `entry_not_found`.
 */
export async function proveEntry(
  pool: Pool,
  locationId: string,
  { seq, size }: { seq: number; size?: number | undefined },
): Promise<{ text: string; checkpoint: Checkpoint }> {
  return readTree(pool, locationId, size, async (tx, place) => ({
    text: await proofText(tx, locationId, { seq, isRedaction: false }, place),
    checkpoint: place.checkpoint,
  }))
}

async function readTree<T>(
  pool: Pool,
  locationId: string,
  size: number | undefined,
  read: (sql: Sql, place: Place) => Promise<T>,
): Promise<T> {
  const [checkpoint, positions] = await Promise.all([
    getCheckpoint(pool, locationId, size),
    readPositions(pool, locationId),
  ])
  const tree = new JournalTree(pool, locationId, { size: checkpoint.size, positions })
  const indexOf = (seq: number) => positions.countTo(seq) - 1
  const proof = await read(pool, { checkpoint, tree, indexOf })
  await tree.kept()
  return proof
}

/**
 * Proves that the tree of one checkpoint is the beginning of that of a later one, the last unless it is named: what a witness is
 * sent (c2sp.org/tlog-witness, add-checkpoint). Throws `checkpoint_not_found`.
 */
export async function proveGrowth(
  pool: Pool,
  locationId: string,
  { from, to }: { from: number; to?: number | undefined },
): Promise<string> {
  return readTree(pool, locationId, to, async (_, { checkpoint, tree }) => {
    if (from > tree.size) {
      const detail = `the checkpoint has ${tree.size} entries, fewer than ${from}`
      throw new AppError('checkpoint_not_found', detail)
    }
    const path = await consistencyPath(tree.subtree, from, tree.size)
    return `old ${from}\n${base64(path)}\n${checkpoint.note}`
  })
}
