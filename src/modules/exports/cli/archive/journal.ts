import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { genesis } from '../../../../core/domain/journal/chain.ts'
import type { Redaction } from '../../../../core/domain/journal/marks.ts'
import { AppError, type ProblemCode } from '../../../../core/contract/errors/errors.ts'
import { proveEntry, proveGrowth } from '../../../proofs/projections/proofs.ts'
import type { Closing } from '../../../proofs/schemas/closings.ts'
import type { Pool, Sql } from '../../../../core/store/db/database.ts'
import { listAllCheckpoints, readCheckpoints } from '../../../proofs/store/checkpoints.ts'
import { assertNotArchived } from '../../../../core/store/journal/asides.ts'
import { findLinkedEntry, walkJournal, listRedactionSeqs } from '../../../../core/store/journal/journal.ts'
import { JournalTree, readPositions } from '../../../proofs/store/tree.ts'

const entriesInFile = 10_000

/**
 * Approximate maximum size of a file, in bytes: the verifier reads each file as one string, whose length is limited.
 */
const bytesInFile = 64 * 2 ** 20

const padded = (seq: number) => String(seq).padStart(12, '0')

export type Interval = { from: number; to: number }

/** Writes the entries of an interval, one per line, with the input of their hashes except location and epoch. */
async function writeEntries(sql: Sql, locationId: string, folder: string, { from, to }: Interval): Promise<number> {
  let [count, inFile] = [0, 0]
  let out: ReturnType<typeof createWriteStream> | undefined
  const end = async () => {
    if (!out) return
    out.end()
    await once(out, 'finish')
    out = undefined
  }
  for await (const entries of walkJournal(sql, locationId, { after: from - 1, upTo: to })) {
    if (entries.some(({ document }) => document === null)) await assertNotArchived(sql, locationId, from)
    for (const { seq, acceptedAt, kind, id, prevSeq, types, document, salt, commitment, hash } of entries) {
      const isFull = inFile === entriesInFile || (out && out.bytesWritten + out.writableLength > bytesInFile)
      if (!out || isFull) {
        await end()
        inFile = 0
        out = createWriteStream(join(folder, `journal/${padded(seq)}.ndjson`))
      }
      out.write(`${JSON.stringify({ seq, acceptedAt, kind, id, prevSeq, types, document, salt, commitment, hash })}\n`)
      count += 1
      inFile += 1
    }
    if (out?.writableNeedDrain) await once(out, 'drain')
  }
  await end()
  return count
}

/** Returns the complete subtrees over the first `size` leaves, the largest first: the state from which a tree continues. */
async function edgeOf(tree: JournalTree, size: number): Promise<{ level: number; hash: string }[]> {
  const edge: { level: number; hash: string }[] = []
  let begin = 0
  for (let level = 52; level >= 0; level--) {
    const width = 2 ** level
    if (Math.floor(size / width) % 2 === 0) continue
    edge.push({ level, hash: (await tree.subtree(level, begin / width)).toString('hex') })
    begin += width
  }
  return edge
}

/** Errors that mean that an entry has no proof yet: nothing was ever signed, or nothing after the entry. */
const unsigned = new Set<ProblemCode>(['checkpoint_not_found', 'not_checkpointed'])

/** The written part of a journal, and the size of the checkpoint that proves it. */
type Written = { interval: Interval; size: number | undefined }

/** Returns the proof of an entry under a checkpoint; null if the checkpoint does not cover it, or does not exist. */
async function findProof(sql: Sql, locationId: string, seq: number, size: number | undefined): Promise<string | null> {
  if (size === undefined) return null
  try {
    return await proveEntry(sql, locationId, { seq, size })
  } catch (error) {
    if (error instanceof AppError && unsigned.has(error.code)) return null
    throw error
  }
}

/**
 * Writes the redactions of the interval's entries, whether made in the interval or later. Each redaction has its own
 * proof if the checkpoint covers it. Resolves to the number of later redactions without a proof.
 */
async function writeRedactions(
  pool: Pool,
  locationId: string,
  folder: string,
  { interval: { from, to }, size }: Written,
): Promise<number> {
  const lines: string[] = []
  let lacking = 0
  for (const seq of await listRedactionSeqs(pool, locationId)) {
    const entry = await findLinkedEntry(pool, locationId, seq)
    const { entries } = JSON.parse(String(entry?.document)) as Redaction
    const own = entries.filter(({ sequence }) => sequence >= from && sequence <= to)
    if (own.length === 0) continue
    const proof = await findProof(pool, locationId, seq, size)
    if (proof === null && seq > to) lacking += 1
    lines.push(`${JSON.stringify({ sequence: seq, entries: own, proof })}\n`)
  }
  await writeFile(join(folder, 'redactions.ndjson'), lines.join(''))
  return lacking
}

/**
 * Writes the proofs of entries outside the interval from which files of the archive were made: the closings, booking
 * batches and accounts in `seqs`, and the checkpoints in `noted`. Resolves to the number of entries in `seqs` without a
 * proof.
 */
export async function writeProofs(
  pool: Pool,
  locationId: string,
  folder: string,
  { interval, size, seqs, noted }: Written & { seqs: readonly number[]; noted: readonly number[] },
): Promise<number> {
  const beyond = [...new Set([...seqs, ...noted])].filter((seq) => seq < interval.from || seq > interval.to)
  const lines: string[] = []
  let lacking = 0
  for (const sequence of beyond.toSorted((a, b) => a - b)) {
    const proof = await findProof(pool, locationId, sequence, size)
    if (proof !== null) lines.push(`${JSON.stringify({ sequence, proof })}\n`)
    else if (seqs.includes(sequence)) lacking += 1
  }
  await writeFile(join(folder, 'proofs.ndjson'), lines.join(''))
  return lacking
}

/**
 * Writes the journal of a year and the data that verifies it: the first and last states of the chain and the tree, the
 * checkpoints of the interval, and the proof that the tree of the year is the beginning of the last signed tree.
 * `noted` are the entries of these checkpoints.
 */
export async function writeJournal(
  pool: Pool,
  { locationId, epoch, closing }: { locationId: string; epoch: string; closing: Closing },
  folder: string,
): Promise<Written & { entries: number; checkpoints: number; lacking: number; noted: number[] }> {
  const interval = { from: closing.fromSequence, to: closing.toSequence }
  for (const name of ['journal', 'checkpoints']) await mkdir(join(folder, name), { recursive: true })
  const positions = await readPositions(pool, locationId)
  const [before, after] = [positions.countTo(interval.from - 1), positions.countTo(interval.to)]
  const tree = new JournalTree(pool, locationId, { size: after, positions })
  const first = await findLinkedEntry(pool, locationId, positions.seqOf(before))
  const start = {
    location: locationId,
    epoch,
    fromSequence: interval.from,
    size: before,
    hash: first?.previousHash ?? genesis,
    edge: await edgeOf(tree, before),
  }
  await writeFile(join(folder, 'start.json'), `${JSON.stringify(start, null, 2)}\n`)
  const entries = await writeEntries(pool, locationId, folder, interval)
  const last = await findLinkedEntry(pool, locationId, interval.to)
  const root = (await tree.root()).toString('base64')
  await tree.kept()
  const end = { toSequence: interval.to, size: after, hash: last?.hash ?? genesis, root }
  await writeFile(join(folder, 'end.json'), `${JSON.stringify(end, null, 2)}\n`)
  const { rows } = await listAllCheckpoints(pool, locationId)
  const within = rows.filter(({ size }) => size > before && size <= after)
  const keys = new Set<string>()
  for (const { size, note, keys: of } of await readCheckpoints(pool, locationId, within)) {
    await writeFile(join(folder, `checkpoints/${size}.note`), note)
    for (const key of of) keys.add(key)
  }
  const latest = rows.at(-1)
  const signed = latest && latest.size >= after ? latest : undefined
  if (signed) {
    await writeFile(join(folder, 'growth.txt'), await proveGrowth(pool, locationId, { from: after, to: signed.size }))
    for (const { keys: of } of await readCheckpoints(pool, locationId, [signed])) for (const key of of) keys.add(key)
  }
  await writeFile(join(folder, 'keys.txt'), [...keys].map((key) => `${key}\n`).join(''))
  const written = { interval, size: signed?.size }
  const lacking = await writeRedactions(pool, locationId, folder, written)
  const noted = within.map(({ seq }) => seq)
  return { ...written, entries, checkpoints: within.length + (signed ? 1 : 0), lacking, noted }
}
