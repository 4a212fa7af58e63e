import { leafHash, RightEdge } from '../domain/merkle.ts'
import { headText, isSignedBy, readHeadText, readNote, readVerifierKey, type TreeHead } from '../domain/notes.ts'
import type { Checkpoint } from '../schemas/checkpoints.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listAllCheckpoints } from '../store/checkpoints.ts'
import { findOtherNode, hasTreeNodes, isKept, walkHashes, type TreeNode } from '../store/tree.ts'

type Claim = { of: string; size: number; root: string; sequence: number | null }

/** Returns the claim of a checkpoint in the journal, or a text that describes its fault. */
function claimOf(seq: number, { size, sequence, root, origin, note, keys }: Checkpoint): Claim | string {
  const read = readNote(note)
  const text = headText({ origin, size, root: Buffer.from(root, 'base64') })
  if (read?.text !== text) return `the checkpoint at ${seq} differs from its note`
  const isSigned =
    keys.length > 0 &&
    keys.every((key) => {
      const known = readVerifierKey(key)
      return known !== undefined && isSignedBy(read, known)
    })
  return isSigned
    ? { of: `the checkpoint at ${seq}`, size, root, sequence }
    : `the checkpoint at ${seq} is not signed by its keys`
}

/**
 * Describes the first checkpoint, in the journal or in `kept` from elsewhere, whose root differs from the root of the
 * entries, or the first stored subtree that does not follow from them. Returns undefined if all are valid. Reads the
 * hashes of the whole journal.
 */
export async function findCheckpointsFault(
  sql: Sql,
  locationId: string,
  kept: readonly (TreeHead & { file: string })[],
): Promise<string | undefined> {
  const { rows, entries } = await listAllCheckpoints(sql, locationId)
  const documents = entries.map(({ seq, document }) => ({ seq, checkpoint: JSON.parse(document) as Checkpoint }))
  const stored = rows.map(({ size, seq, origin }) => `${seq} ${size} ${origin}`)
  const made = documents.map(({ seq, checkpoint: { size, origin } }) => `${seq} ${size} ${origin}`)
  if (stored.toSorted().join('\n') !== made.toSorted().join('\n'))
    return 'the stored checkpoints differ from the journal'
  const claims: Claim[] = kept.map(({ file, size, root }) => ({
    of: `the checkpoint in ${file}`,
    size,
    root: root.toString('base64'),
    sequence: null,
  }))
  for (const { seq, checkpoint } of documents) {
    const claim = claimOf(seq, checkpoint)
    if (typeof claim === 'string') return claim
    claims.push(claim)
  }
  if (claims.length === 0 && !(await hasTreeNodes(sql, locationId))) return undefined
  const bySize = Map.groupBy(claims, ({ size }) => size)
  const edge = new RightEdge()
  let wrong: string | undefined
  const check = (sequence: number) => {
    const root = edge.root().toString('base64')
    for (const claim of bySize.get(edge.size) ?? []) {
      if (claim.root !== root) wrong ??= `${claim.of} does not match the first ${claim.size} entries of the journal`
      else if (claim.sequence !== null && claim.sequence !== sequence)
        wrong ??= `${claim.of} has a different last entry`
    }
    bySize.delete(edge.size)
  }
  if (bySize.has(0)) check(0)
  for await (const hashes of walkHashes(sql, locationId)) {
    const nodes: TreeNode[] = []
    for (const { seq, hash } of hashes) {
      edge.add(leafHash(Buffer.from(hash, 'hex')), (level, place, node) => {
        if (isKept(level)) nodes.push({ level, place, hash: node.toString('hex') })
      })
      if (bySize.has(edge.size)) check(seq)
    }
    const other = await findOtherNode(sql, locationId, nodes)
    if (other) wrong ??= `the subtree ${other.place} of level ${other.level} differs from the entries`
  }
  const [left] = [...bySize.values()].flat()
  return wrong ?? (left && `${left.of} covers ${left.size} entries, but the journal has ${edge.size}`)
}

/** Reads a checkpoint stored elsewhere, the text of a note; undefined if it is not a checkpoint. */
export function readKept(file: string, text: string): (TreeHead & { file: string; text: string }) | undefined {
  const head = readHeadText(readNote(text)?.text ?? '')
  return head && { ...head, file, text }
}
