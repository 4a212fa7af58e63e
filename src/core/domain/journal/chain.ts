import { hash as digest } from 'node:crypto'
import type { DocumentText } from '../documents/document-text.ts'

/** What the hash of one journal entry covers: every column, with the commitment in place of the document. */
export type Link = {
  locationId: string
  /** The epoch of the journal (docs/contract/journal.md). */
  epoch: string
  seq: number
  /** ISO 8601 with milliseconds. */
  acceptedAt: string
  kind: string
  id: string
  /** The previous entry of the same kind and id; null for its first. */
  prevSeq: number | null
  types: readonly string[]
  /** The result of `commitTo` for salt and document when the entry was written. */
  commitment: string
}

/** Used as the previous hash of the first entry of every location. */
export const genesis = '0'.repeat(64)

const version = 'tillgate journal v2'

/** Hashed before salt and document. It ends with the length of the salt, which determines where the salt ends. */
const boundary = 'tillgate commitment v2\n32\n'

/** Buffer for the hashed bytes; longer ones get a buffer of their own. */
const place = Buffer.allocUnsafeSlow(16 * 1024)

/** Returns whether a salt has its only valid form. Check this before hashing a salt from elsewhere. */
export const isSalt = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/**
 * Computes the commitment to a document: SHA-256 in hex of the salt's length, the salt and the document. The salt
 * prevents guessing a blanked name. Throws for a salt that is not 32 hex digits.
 */
export function commitTo(salt: string, document: DocumentText): string {
  if (!isSalt(salt)) throw new Error('the salt is not 32 hex digits')
  const head = boundary + salt
  if (typeof document === 'string') return digest('sha256', head + document)
  const length = head.length + document.length
  const bytes = length <= place.length ? place : Buffer.allocUnsafe(length)
  bytes.write(head, 'latin1')
  document.copy(bytes, head.length)
  return digest('sha256', bytes.subarray(0, length))
}

/**
 * Returns whether this is the commitment to the document, in the current form or the form of earlier builds, which
 * hashed only salt and document. No text has both forms, because a salt is hex.
 */
export function commits(commitment: string | undefined, salt: string, document: string): boolean {
  if (commitment === undefined || !isSalt(salt)) return false
  return commitTo(salt, document) === commitment || digest('sha256', salt + document) === commitment
}

/**
 * Computes SHA-256 in hex over the previous hash and the entry, one field per line (docs/contract/journal.md). Changing,
 * removing or reordering an entry breaks every later hash; blanking a document breaks none, as its commitment stays.
 */
export function chainHash(previous: string, link: Link): string {
  const { locationId, epoch, seq, acceptedAt, kind, id, prevSeq, types, commitment } = link
  return digest(
    'sha256',
    `${version}\n${previous}\n${locationId}\n${epoch}\n${seq}\n${acceptedAt}\n${kind}\n${id}\n${prevSeq ?? ''}\n${types.join(',')}\n${commitment}`,
  )
}

/** The end of a journal, which the next entry follows. `acceptedAt` is null before the first. */
export type Head = { epoch: string; seq: number; hash: string; acceptedAt: string | null }

/** A change before it has a sequence. */
export type Change<Document extends DocumentText = DocumentText> = Pick<Link, 'kind' | 'id' | 'prevSeq' | 'types'> & {
  document: Document
}

/** A new entry; when read back, its document is a text. */
export type NewEntry<Document extends DocumentText = DocumentText> = Link & {
  document: Document
  salt: string
  hash: string
}

/** An entry read back. The document is null if it was archived: salt and commitment remain. */
export type ChainedEntry = Omit<NewEntry<string>, 'document'> & { document: string | null }

/** Returns the later of now and the head's time: with a clock that is slow or was set back, times still never decrease. */
export function acceptanceTime(head: Pick<Head, 'acceptedAt'>, now: Date): string {
  const time = now.toISOString()
  return head.acceptedAt !== null && head.acceptedAt > time ? head.acceptedAt : time
}

/** Numbers the changes after the head and chains them; one salt per change. */
export function chainChanges<Document extends DocumentText>(
  locationId: string,
  head: Head,
  changes: readonly { change: Change<Document>; salt: string }[],
  acceptedAt: string,
): NewEntry<Document>[] {
  let { hash } = head
  return changes.map(({ change, salt }, i) => {
    const { kind, id, prevSeq, types, document } = change
    const commitment = commitTo(salt, document)
    const link = {
      locationId,
      epoch: head.epoch,
      seq: head.seq + 1 + i,
      acceptedAt,
      kind,
      id,
      prevSeq,
      types,
      commitment,
    }
    hash = chainHash(hash, link)
    return { ...link, document, salt, hash }
  })
}

/** A resumed journal continues at a multiple of this, skipping at least one multiple after the last number. */
export const stride = 1_000_000

/** Returns whether a `resumed` entry may exist after `from` and up to `to`: its number is always a round million. */
export function mayHaveResumed(from: number, to: number): boolean {
  return to < from || Math.floor(to / stride) !== Math.floor(from / stride)
}
