import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Lineage } from '../../domain/journal/lineage.ts'
import { AppError } from '../../contract/errors/errors.ts'
import { completeUntil, minSequence } from '../../schemas/freshness.ts'
import { findHead } from '../../store/journal/journal.ts'
import { readLineage } from '../../store/journal/resumption.ts'
import type { Numbered } from '../../contract/paging/numbered.ts'
import type { Reads } from '../../contract/paging/pages.ts'
import type { Replica } from '../../store/documents/replica.ts'
import type { Reading, Process } from '../context.ts'
import { assertPosition } from '../parameters/feed-cursor.ts'
import { waitForNews } from './wait-for-commit.ts'

/** Milliseconds to wait for a journal that has not reached the requested number, for replica and primary together. */
const patienceMs = 250

/** Milliseconds between two reads of the head while a caller waits for a number. */
const lookAgainMs = 25

/** Data read from a location. The primary is read if the document has not arrived at the replica. */
type Found = Numbered & { document?: Buffer | undefined }

/**
 * Reads data of the key's location, from the replica if there is one. The response headers get its sequence and, if the
 * route requires it, the time up to which everything has arrived. If the caller requires a sequence, waits for a
 * lagging replica, then reads the primary. Throws `sequence_not_reached` if the primary has not reached it either.
 */
export async function readFresh<T extends Found>(
  context: Reading & Process,
  request: FastifyRequest,
  reply: FastifyReply,
  read: (reads: Reads) => Promise<T>,
): Promise<T> {
  const { locationId } = request.key
  const watermarks = request.route.sendsCompleteUntil ? context.watermarks : undefined
  if (watermarks && !watermarks.isWarm(locationId)) await watermarks.warm(locationId)
  const required = requiredOf(request)
  let lineage: Lineage | undefined
  const readWithLineage = async (reads: Reads) => {
    const found = await read(reads)
    lineage = found.sequence > required.least ? await readLineage(reads.pool, locationId) : undefined
    return found
  }
  const reading = required.least === 0 ? read : readWithLineage
  const ofReplica = context.replica ? await readReplica(context.replica, required, reading) : undefined
  const found = ofReplica ?? (await readPrimary(context, locationId, required, reading))
  assertGivenOut(lineage, required.least, found.sequence)
  reply.header('tillgate-sequence', found.sequence)
  const until = watermarks?.at(locationId, found.sequence) ?? null
  if (until !== null) reply.header(completeUntil, until)
  return found
}

/**
 * Resolves when the journal has reached the sequence that the caller requires, so that later reads include it: for
 * routes that read the primary by themselves. Throws `sequence_not_reached` like `readFresh`.
 */
export async function reachNumber(context: Reading & Process, request: FastifyRequest): Promise<void> {
  const { locationId } = request.key
  const required = requiredOf(request)
  if (required.least === 0) return
  const { sequence, lineage } = await readPrimary(context, locationId, required, async ({ pool }) => ({
    sequence: (await findHead(pool, locationId))?.seq ?? 0,
    lineage: await readLineage(pool, locationId),
  }))
  assertGivenOut(lineage, required.least, sequence)
}

/**
 * Throws `sequence_ahead` for a sequence that the journal skipped when it was restored to an earlier state: that change
 * is lost, even if the journal has passed this number since.
 */
function assertGivenOut(lineage: Lineage | undefined, least: number, head: number): void {
  if (lineage) assertPosition(lineage, head, { epoch: undefined, after: least })
}

/** The minimum sequence that the caller accepts, and the deadline for it in milliseconds since 1970. */
type Required = { least: number; deadline: number }

/** For a caller that requires no sequence. */
const anything: Required = { least: 0, deadline: 0 }

/** Returns the sequence in `Tillgate-Min-Sequence` and how long to wait for it. The schema has validated it. */
function requiredOf({ headers }: FastifyRequest): Required {
  const least = headers[minSequence]
  return least === undefined ? anything : { least: Number(least), deadline: Date.now() + patienceMs }
}

/** Reads the replica. Undefined if it does not answer, or does not have the document yet. */
async function readReplica<T extends Found>(
  replica: Replica,
  { least, deadline }: Required,
  read: (reads: Reads) => Promise<T>,
): Promise<T | undefined> {
  for (;;) {
    const found = await replica.read(read)
    if (!found || ('document' in found && found.document === undefined)) return undefined
    if (found.sequence >= least) return found
    if (Date.now() + lookAgainMs > deadline) return undefined
    await delay(lookAgainMs)
  }
}

/** Reads the primary; if the caller requires a sequence, repeatedly until it is reached or the time is over. */
function readPrimary<T extends Found>(
  context: Reading & Process,
  locationId: string,
  required: Required,
  read: (reads: Reads) => Promise<T>,
): Promise<T> {
  return required.least === 0 ? read(context) : readUntilReached(context, locationId, required, read)
}

/**
 * Reads again after each change of the journal until the number is reached. Listens for the change before it reads, so that none is
 * missed in between. At the deadline it reads once more, then throws 503 `sequence_not_reached` with the number that was read.
 */
async function readUntilReached<T extends Found>(
  context: Reading & Process,
  locationId: string,
  { least, deadline }: Required,
  read: (reads: Reads) => Promise<T>,
): Promise<T> {
  for (;;) {
    const isLast = Date.now() >= deadline
    const news = waitForNews(context.hints, locationId, deadline)
    const found = await read(context).catch((error: unknown) => {
      news.cancel()
      throw error
    })
    if (found.sequence >= least) {
      news.cancel()
      return found
    }
    if (isLast) {
      news.cancel()
      const { sequence } = found
      const detail = `the journal is at ${sequence}, not yet at ${least}: try again in a second`
      throw new AppError('sequence_not_reached', detail, {
        headers: { 'retry-after': '1', 'tillgate-sequence': String(sequence) },
        members: { sequence },
      })
    }
    await news.arrived
  }
}
