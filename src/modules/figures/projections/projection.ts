import type { BusinessClock } from '../../../core/domain/days/business-time.ts'
import { transact, type Pool, type Sql, type Transaction } from '../../../core/store/db/database.ts'
import { getHead, holdHead } from '../../../core/store/journal/journal.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import {
  advanceGeneration,
  beginGeneration,
  listGenerations,
  makeLive,
  type ProjectionRow,
} from '../store/projections.ts'
import { stepSizes } from './step-sizes.ts'
import { readStretch, type ReadStretch, type Stretch } from './stretches.ts'

type ProjectionKey = Pick<ProjectionRow, 'generation' | 'version'> & { locationId: string }

/** The result of folding one stretch of the journal: the rows to write. */
export type Fold = { rows: number; write(tx: Transaction): Promise<void> }

/** A cursor on the journal, with rows that follow from the entries before it. */
export type Projection = {
  name: string
  /** Version of the rules that make the rows: increment it when a changed rule changes the rows. */
  rules: number
  /** Returns a text that identifies further inputs of a location's rows; it becomes part of their version. */
  madeBy?(sql: Sql, location: LocationRow): Promise<string>
  /** Folds a stretch in memory; nothing is written before `write`. */
  fold(sql: Sql, place: ProjectionKey, stretch: Stretch): Promise<Fold>
  deleteOthers(sql: Sql, locationId: string, generation: number): Promise<void>
}

/** Identifies the inputs of a location's rows: if one of them changes, the rows are rebuilt. */
export async function versionOf(
  { rules, madeBy }: Pick<Projection, 'rules' | 'madeBy'>,
  sql: Sql,
  location: LocationRow,
): Promise<string> {
  const version = `${rules} ${location.timeZone} ${location.dayStartsAt}`
  return madeBy ? `${version} ${await madeBy(sql, location)}` : version
}

/** Parses time zone and start of the day from a version; the location may have other settings by now. */
export function clockOf(version: string): BusinessClock {
  const [, timeZone = 'UTC', dayStartsAt = '00:00'] = version.split(' ')
  return { timeZone, dayStartsAt }
}

/** Finds the generation to work on: the newest, or a new one if the rules or the settings have changed. */
async function findOrBegin(pool: Pool, projection: Projection, locationId: string): Promise<ProjectionRow | undefined> {
  const location = await findLocation(pool, locationId)
  if (!location) return undefined
  const version = await versionOf(projection, pool, location)
  const newest = (await listGenerations(pool, locationId, projection.name)).at(-1)
  if (newest?.version === version) return newest
  return begin(pool, projection, { locationId, version, after: newest?.generation ?? 0 })
}

async function begin(
  pool: Pool,
  { name }: Projection,
  { locationId, version, after }: { locationId: string; version: string; after: number },
): Promise<ProjectionRow | undefined> {
  await transact(pool, async (tx) => {
    // Nothing is archived during a fold: archiving waits for folds that began before it (docs/inside/03-journal.md).
    await holdHead(tx, locationId)
    const { seq: begunAtSeq } = await getHead(tx, locationId)
    await beginGeneration(tx, locationId, { name, generation: after + 1, version, begunAtSeq })
  })
  return (await listGenerations(pool, locationId, name)).at(-1)
}

/**
 * Moves a projection of a location to the head of its journal, if it was ever started. After a redaction this rebuilds
 * its rows and deletes the rows of the removed text.
 */
export async function catchUpProjection(pool: Pool, projection: Projection, locationId: string): Promise<void> {
  if ((await listGenerations(pool, locationId, projection.name)).length === 0) return
  while ((await stepProjection(pool, projection, locationId)) === 'behind');
}

export type StepResult = 'behind' | 'caught-up' | 'gone'

/** Maximum rows that a step writes, unless a single entry makes more: 20,000 take about half a second. */
const rowsAtMost = 20_000

/**
 * Folds one stretch into a generation: rows and cursor in one transaction, which commits only if the cursor has not
 * moved.
 */
async function moveOn(
  pool: Pool,
  projection: Projection,
  { locationId, read }: { locationId: string; read: ReadStretch },
  generation: ProjectionRow,
): Promise<{ isAtHead: boolean; isRedacted: boolean }> {
  const place = { locationId, generation: generation.generation, version: generation.version }
  const sizes = stepSizes(projection.name, locationId)
  const stretch = await read(pool, locationId, generation.seq, sizes.now)
  const isAtHead = stretch.isLast
  // Documents that were folded before have changed.
  if (stretch.redactedAt > generation.begunAtSeq) return { isAtHead, isRedacted: true }
  if (stretch.entries > 0 || (isAtHead && !generation.live)) {
    const fold = await projection.fold(pool, place, stretch)
    if (fold.rows > rowsAtMost && sizes.halve(stretch.entries)) return { isAtHead: false, isRedacted: false }
    const step = { name: projection.name, generation: generation.generation, from: generation.seq, to: stretch.reached }
    const write = transact(pool, async (tx) => {
      if (!(await advanceGeneration(tx, locationId, step))) return
      await fold.write(tx)
      if (!isAtHead || generation.live) return
      await makeLive(tx, locationId, projection.name, generation.generation)
      await projection.deleteOthers(tx, locationId, generation.generation)
    })
    await write.catch((error: unknown) => {
      sizes.halve(stretch.entries)
      throw error
    })
    sizes.grow()
  }
  return { isAtHead, isRedacted: false }
}

/**
 * Moves a projection of a location on by one stretch of its journal: rows and cursor in one transaction that commits
 * only if the cursor has not moved, so two workers never count an entry twice. A generation that reaches the head
 * becomes live, and the rows of the other generations are deleted. Until then the live generation, which answers
 * reads, is moved on too, so that reads have little to fold themselves.
 */
export async function stepProjection(
  pool: Pool,
  projection: Projection,
  locationId: string,
  read: ReadStretch = readStretch,
): Promise<StepResult> {
  const generation = await findOrBegin(pool, projection, locationId)
  if (!generation) return 'gone'
  const answering = generation.live ? undefined : await findLive(pool, locationId, projection.name)
  if (answering) await moveOn(pool, projection, { locationId, read }, answering)
  const { isAtHead, isRedacted } = await moveOn(pool, projection, { locationId, read }, generation)
  if (!isRedacted) return isAtHead ? 'caught-up' : 'behind'
  await begin(pool, projection, { ...generation, locationId, after: generation.generation })
  return 'behind'
}

/** Finds the live generation; undefined while the first one is being built. */
export async function findLive(sql: Sql, locationId: string, name: string): Promise<ProjectionRow | undefined> {
  return (await listGenerations(sql, locationId, name)).find(({ live }) => live)
}
