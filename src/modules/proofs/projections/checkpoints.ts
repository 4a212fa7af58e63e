import { acceptanceTime, type Head } from '../../../core/domain/journal/chain.ts'
import { entryId } from '../../../core/domain/journal/entry-ids.ts'
import { headText, readHeadText, readNote, type TreeHead } from '../domain/notes.ts'
import type { Checkpoint } from '../schemas/checkpoints.ts'
import { transact, type Pool, type Sql, type Transaction } from '../../../core/store/db/database.ts'
import { findCheckpoint, putCheckpoint, type StoredCheckpoint } from '../store/checkpoints.ts'
import { appendChanges, findHead } from '../../../core/store/journal/journal.ts'
import { takeHead } from '../../../core/store/journal/resumption.ts'
import { countKept, JournalTree, readPositions, type Positions } from '../store/tree.ts'
import type { SigningKey } from './signing-key.ts'

/** The name of a log if the installation has no public URL. */
const usualName = 'tillgate.local'

/** Returns the name of the installation in origins: the host of its public URL. */
export const logNameOf = (publicUrl: string | null): string =>
  publicUrl === null ? usualName : (URL.parse(publicUrl)?.host ?? usualName)

/** Returns the origin with the next suffix: a log that was restored to an earlier state is another log. */
function nextOrigin(base: string, origin: string): string {
  return `${base}.${Number(origin.slice(base.length + 1) || 1) + 1}`
}

/**
 * Returns the origin (the name of the log) under which a tree may be signed. If two trees are signed under one origin,
 * one must be the beginning of the other. If the last signed tree, according to the journal or the notes beside the
 * key, is not the beginning of this tree, the origin gets a new number.
 */
async function originOf(
  tree: JournalTree,
  { base, last, signer }: { base: string; last: Checkpoint | undefined; signer: SigningKey },
): Promise<string> {
  const remembered = signer.lastOf(base)
  const written = last && readHeadText(readNote(last.note)?.text ?? '')
  const origin = remembered?.origin ?? written?.origin ?? base
  const known = [remembered, written].filter((head): head is TreeHead => head?.origin === origin)
  const areBeginnings = await Promise.all(
    known.map(async ({ size, root }) => size <= tree.size && (await tree.root(size)).equals(root)),
  )
  return areBeginnings.includes(false) ? nextOrigin(base, origin) : origin
}

export type MadeCheckpoint = { checkpoint: Checkpoint; document: string; seq: number; isNew: boolean }

type Signing = {
  signer: SigningKey
  logName: string
  now: Date
  seen?: number
  /** Writes further consequences of a new checkpoint in the same transaction. */
  along?: (tx: Transaction, checkpoint: Checkpoint) => Promise<void>
}

/** Returns the part of an origin that names the installation: everything before the location. */
const nameIn = (origin: string, locationId: string): string | undefined => {
  const at = origin.indexOf(`/${locationId}/`)
  return at > 0 ? origin.slice(0, at) : undefined
}

/** What is known about a journal at a head. */
type Standing = { head: Head; made: StoredCheckpoint | undefined; positions: Positions; keptUpTo: number }

async function readStanding(sql: Sql, locationId: string, head: Head): Promise<Standing> {
  const [made, positions, keptUpTo] = await Promise.all([
    findCheckpoint(sql, locationId),
    readPositions(sql, locationId),
    countKept(sql, locationId),
  ])
  return { head, made, positions, keptUpTo }
}

async function treeHeadOf(
  tree: JournalTree,
  locationId: string,
  { head, made }: Standing,
  { signer, logName }: Signing,
): Promise<TreeHead> {
  const last = made?.checkpoint
  const isSameEpoch = last?.origin.includes(`/${locationId}/${head.epoch}`) === true
  const name = (isSameEpoch ? nameIn(last.origin, locationId) : undefined) ?? logName
  const base = `${name}/${locationId}/${head.epoch}`
  const [origin, root] = await Promise.all([
    originOf(tree, { base, last: isSameEpoch ? last : undefined, signer }),
    tree.root(),
  ])
  return { origin, size: tree.size, root }
}

const treeAt = (sql: Sql, locationId: string, { head, positions, keptUpTo }: Standing, smaller?: JournalTree) =>
  new JournalTree(sql, locationId, { size: positions.countTo(head.seq), positions, smaller, keptUpTo })

/** Locks the head until the transaction ends, signs the tree, and journals it. `free` was read before the lock. */
async function signHead(
  tx: Transaction,
  locationId: string,
  signing: Signing,
  free: { standing: Standing; tree: JournalTree },
): Promise<MadeCheckpoint | undefined> {
  const { signer, now, seen = 0, along } = signing
  const head = await takeHead(tx, locationId, { now, seen })
  if (!head || head.seq === 0) return undefined
  // With the same head no entry was written since, so nothing derived from entries changed.
  const isSame = head.hash === free.standing.head.hash
  const standing = isSame ? free.standing : await readStanding(tx, locationId, head)
  const { made } = standing
  const last = made?.checkpoint
  if (made?.seq === head.seq) return { ...made, document: JSON.stringify(last), isNew: false }
  const tree = treeAt(tx, locationId, standing, free.tree)
  const treeHead = await treeHeadOf(tree, locationId, standing, signing)
  const { note, keys, rotation, written } = signer.sign(treeHead, headText(treeHead), now)
  const createdAt = acceptanceTime(head, now)
  const { origin, size, root } = treeHead
  const checkpoint: Checkpoint = {
    size,
    sequence: head.seq,
    root: root.toString('base64'),
    origin,
    createdAt,
    note,
    keys,
    // The note of the rotation is only in the first checkpoint with the new key.
    rotation: last && !last.keys.includes(keys[0] as string) ? rotation : null,
  }
  const document = JSON.stringify(checkpoint)
  const change = {
    kind: 'checkpoint',
    id: entryId(locationId, `checkpoint ${origin} ${size}`),
    prevSeq: null,
    types: ['checkpoint.created'],
    document,
  }
  const seq = head.seq + 1
  await Promise.all([
    written,
    appendChanges(tx, { locationId, head }, [change], createdAt),
    putCheckpoint(tx, locationId, seq, document),
    tree.kept(),
    along?.(tx, checkpoint),
  ])
  return { checkpoint, document, seq, isNew: true }
}

/**
 * Signs the tree over the current journal and appends the checkpoint to it. Resolves to the last checkpoint if no entry
 * came after it; undefined for an unknown location or an empty journal. Throws `JournalRewound`.
 */
export async function makeCheckpoint(
  pool: Pool,
  locationId: string,
  signing: Signing,
): Promise<MadeCheckpoint | undefined> {
  const head = await findHead(pool, locationId)
  if (!head) return undefined
  // Entries are read, hashed and stored while tills write, so that only newer entries remain to be read once the head
  // is locked. The head is read first, so that the subtrees belong to it.
  const standing = await readStanding(pool, locationId, head)
  const tree = treeAt(pool, locationId, standing)
  await treeHeadOf(tree, locationId, standing, signing)
  const made = await transact(pool, (tx) => signHead(tx, locationId, signing, { standing, tree }))
  // Awaited after the lock on the head is released: callers that wait for the lock may hold the connections needed to
  // store these subtrees.
  await tree.kept()
  return made
}
