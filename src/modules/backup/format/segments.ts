import type { ChainedEntry } from '../../../core/domain/journal/chain.ts'
import type { Redaction, Returned } from '../../../core/domain/journal/marks.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { walkJournal } from '../../../core/store/journal/journal.ts'
import type { Opener, Seal } from './seal.ts'
import { BackupError } from './errors.ts'
import { writeFileOf } from './files.ts'
import type { Segment } from './manifest.ts'
import { entriesAtMost, textAtMost } from './merging.ts'
import { pack, readLines } from './tables.ts'

const padded = (seq: number) => String(seq).padStart(12, '0')

/**
 * Writes an entry as a line, without location and epoch, which are the same for all entries of the segment. The
 * document is kept byte for byte.
 */
function toLine(entry: ChainedEntry): string {
  const { seq, acceptedAt, kind, id, prevSeq, types, document, salt, commitment, hash } = entry
  return `${JSON.stringify({ seq, acceptedAt, kind, id, prevSeq, types, document, salt, commitment, hash })}\n`
}

export type SegmentRange = { after: number; upTo: number }

/** Returns the entries whose documents this entry redacted; empty unless it is a redaction. */
export function redactedBy({ kind, document }: Pick<ChainedEntry, 'kind' | 'document'>): Redaction['entries'] {
  return kind === 'redaction' && document !== null ? (JSON.parse(document) as Redaction).entries : []
}

/** Returns the parts of the journal whose documents this entry replaced or restored. */
function changedBy(entry: Pick<ChainedEntry, 'kind' | 'document'>): Returned[] {
  if (entry.kind === 'returned' && entry.document !== null) return [JSON.parse(entry.document) as Returned]
  return redactedBy(entry).map(({ sequence }) => ({ from: sequence, to: sequence }))
}

export type WrittenSegment = {
  segment: Segment
  /** How many of its entries are new in the backup. */
  fresh: number
  /** Earlier parts of the journal whose documents its new entries replaced or restored. */
  changed: Returned[]
}

/**
 * Writes the entries of a journal between two numbers as segments, and yields each segment when it is written. Entries
 * up to `known` are already in the backup. The name of a file is derived from its content.
 */
export async function* writeSegments(
  sql: Sql,
  { dir, seal, locationId, known }: { dir: string; seal: Seal; locationId: string; known: number },
  { after, upTo }: SegmentRange,
): AsyncGenerator<WrittenSegment> {
  let lines: string[] = []
  let entries: ChainedEntry[] = []
  let size = 0
  const finish = async () => {
    const [first, last] = [(entries[0] as ChainedEntry).seq, (entries.at(-1) as ChainedEntry).seq]
    const content = Buffer.from(lines.join(''))
    const name = `${padded(first)}-${padded(last)}-${seal.digest(content).slice(0, 16)}`
    const file = `locations/${locationId}/journal/${name}.${seal.end}`
    const written = await writeFileOf(dir, file, await seal.seal(await pack(content), file))
    const redactions = entries.filter(({ kind }) => kind === 'redaction').length
    const fresh = entries.filter(({ seq }) => seq > known)
    const changed = fresh.flatMap(changedBy)
    const segment = { ...written, text: content.length, first, last, entries: entries.length, redactions }
    lines = []
    entries = []
    size = 0
    return { segment, fresh: fresh.length, changed }
  }
  for await (const found of walkJournal(sql, locationId, { after, upTo })) {
    for (const entry of found) {
      const line = toLine(entry)
      lines.push(line)
      entries.push(entry)
      size += line.length
      if (entries.length === entriesAtMost || size >= textAtMost) yield await finish()
    }
  }
  if (entries.length > 0) yield await finish()
}

/** Reads the entries of a segment, and checks that they are the entries that were written. */
export async function readSegment(
  { dir, opener }: { dir: string; opener: Opener },
  segment: Segment,
  of: Pick<ChainedEntry, 'locationId' | 'epoch'>,
): Promise<ChainedEntry[]> {
  const lines = await readLines<Omit<ChainedEntry, 'locationId' | 'epoch'>>(dir, segment, opener)
  const entries = lines.map((line) => ({ ...line, ...of }))
  const isComplete = entries.length === segment.entries && entries[0]?.seq === segment.first
  if (isComplete && entries.at(-1)?.seq === segment.last) return entries
  throw new BackupError('backup_damaged', `${segment.file} does not contain the entries named in the manifest`)
}
