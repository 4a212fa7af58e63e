import { commits } from '../../../core/domain/journal/chain.ts'
import type { Redaction } from '../../../core/domain/journal/marks.ts'
import { consistencyPath, inclusionPath } from '../domain/merkle.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import type { Checkpoint } from '../schemas/checkpoints.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { findCheckpoint } from '../store/checkpoints.ts'
import { findLinkedEntry, listRedactionSeqs, type LinkedEntry } from '../../../core/store/journal/journal.ts'
import { JournalTree, Positions, readPositions } from '../store/tree.ts'

const base64 = (parts: readonly Buffer[]) => parts.map((part) => `${part.toString('base64')}\n`).join('')

/** Returns the checkpoint of a size, or the last one. Throws `checkpoint_not_found`. */
export async function getCheckpoint(sql: Sql, locationId: string, size?: number): Promise<Checkpoint> {
  const found = await findCheckpoint(sql, locationId, size)
  if (found) return found.checkpoint
  throw new AppError(
    'checkpoint_not_found',
    size === undefined
      ? 'this location has no checkpoint: create one with POST /v1/checkpoints/'
      : `no checkpoint has the size ${size}: see GET /v1/checkpoints/`,
  )
}

/**
 * Returns the input from which a verifier computes the hash of an entry, and its document. The verifier trusts none of
 * it, because it computes the hash itself.
 */
function extraOf(locationId: string, linked: LinkedEntry, redaction: string | undefined): string {
  const {
    seq,
    firstEpoch: epoch,
    acceptedAt,
    kind,
    id,
    prevSeq,
    types,
    salt,
    commitment,
    previousHash,
    document,
  } = linked
  const extra = {
    entry: { locationId, epoch, seq, acceptedAt, kind, id, prevSeq, types, commitment },
    previousHash,
    salt,
    document: document.toString(),
    ...(redaction === undefined ? {} : { redaction }),
  }
  return Buffer.from(JSON.stringify(extra)).toString('base64')
}

/** Finds the redaction that made a document as it is now; undefined if the document is the accepted one. */
async function findRedactionOf(
  sql: Sql,
  locationId: string,
  { seq, salt, commitment, document }: LinkedEntry,
): Promise<LinkedEntry | undefined> {
  if (commits(commitment, salt, String(document))) return undefined
  for (const at of (await listRedactionSeqs(sql, locationId)).toReversed()) {
    const redaction = await findLinkedEntry(sql, locationId, at)
    const { entries } = JSON.parse(String(redaction?.document)) as Redaction
    if (entries.some(({ sequence, commitment: of }) => sequence === seq && commits(of, salt, String(document))))
      return redaction
  }
  return undefined
}

type ProofSource = { locationId: string; checkpoint: Checkpoint; tree: JournalTree; indexOf: (seq: number) => number }

async function readProofSource(sql: Sql, locationId: string, of: number | undefined): Promise<ProofSource> {
  const checkpoint = await getCheckpoint(sql, locationId, of)
  const { size, sequence } = checkpoint
  // If there are as many entries as numbers, no number was skipped.
  const positions = size === sequence ? new Positions([]) : await readPositions(sql, locationId)
  const tree = new JournalTree(sql, locationId, { size, positions })
  return { locationId, checkpoint, tree, indexOf: (seq) => positions.countTo(seq) - 1 }
}

/** Throws `not_checkpointed` if an entry is newer than the checkpoint. */
function refuseYounger({ sequence, size }: Checkpoint, seq: number): void {
  if (seq <= sequence) return
  const detail = `entry ${seq} is newer than the checkpoint, which covers entries up to ${sequence}: create a checkpoint with POST /v1/checkpoints/, or wait for the next closing`
  throw new AppError('not_checkpointed', detail, { members: { sequence: seq, size } })
}

async function proofText(
  { locationId, checkpoint, tree, indexOf }: ProofSource,
  linked: LinkedEntry,
  redaction?: string,
): Promise<string> {
  refuseYounger(checkpoint, linked.seq)
  const index = indexOf(linked.seq)
  const path = await inclusionPath(tree.subtree, index, { end: tree.size })
  const extra = extraOf(locationId, linked, redaction)
  return `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex ${index}\n${base64(path)}\n${checkpoint.note}`
}

/**
 * Returns a proof that an entry is in the journal under a checkpoint (by default the last one), in the file format
 * c2sp.org/tlog-proof.
 * Throws `checkpoint_not_found`, `not_checkpointed`, `entry_not_found`.
 */
export async function proveEntry(
  sql: Sql,
  locationId: string,
  { seq, size }: { seq: number; size?: number | undefined },
): Promise<string> {
  const reading = findLinkedEntry(sql, locationId, seq)
  // A fault of the checkpoint is reported before a fault of the entry.
  reading.catch(() => {})
  const place = await readProofSource(sql, locationId, size)
  const linked = await reading
  if (!linked)
    throw new AppError('entry_not_found', `entry ${seq} does not exist: use a number up to head of GET /v1/events/`)
  refuseYounger(place.checkpoint, seq)
  const by = await findRedactionOf(sql, locationId, linked)
  const text = await proofText(place, linked, by && (await proofText(place, by)))
  await place.tree.kept()
  return text
}

/**
 * Proves that the tree of a checkpoint is the beginning of the tree of a later one, by default the last: the input of a
 * witness (c2sp.org/tlog-witness, add-checkpoint). Throws `checkpoint_not_found`.
 */
export async function proveGrowth(
  sql: Sql,
  locationId: string,
  { from, to }: { from: number; to?: number | undefined },
): Promise<string> {
  const { checkpoint, tree } = await readProofSource(sql, locationId, to)
  if (from > tree.size) {
    const detail = `from must be at most ${tree.size}, the size of the checkpoint, not ${from}`
    throw new AppError('checkpoint_not_found', detail)
  }
  const path = await consistencyPath(tree.subtree, from, tree.size)
  await tree.kept()
  return `old ${from}\n${base64(path)}\n${checkpoint.note}`
}
