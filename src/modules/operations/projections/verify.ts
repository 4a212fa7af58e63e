import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { deviceMeasures, foldDeviceDays, type DeviceDay } from '../../figures/domain/device-days.ts'
import { toPeriods } from '../../figures/domain/sales-periods.ts'
import { measures, type Measure } from '../../../core/contract/money/amounts.ts'
import { cellKinds, foldChanges, startFold, type Cell, type StoredKind } from '../../figures/domain/sales.ts'
import { readStoredOrder } from '../../../core/domain/documents/stored-documents.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { idleAfterDays } from '../../figures/domain/tills.ts'
import { walkDocuments } from '../../../core/contract/paging/pages.ts'
import { listAsides } from '../../../core/store/journal/asides.ts'
import { sumsOfReports } from '../../figures/projections/report-sums.ts'
import { listAllDueDays } from '../../figures/store/due-days.ts'
import { readOrderChanges, type JournalOrder } from '../../figures/store/projections.ts'
import { findMisplacedCheck, listWaits } from '../../figures/store/report-checks.ts'
import { isNews } from '../../figures/projections/announcements.ts'
import { readDays, type ReadDay } from '../../figures/projections/days-answer.ts'
import {
  checkReports,
  daysProjection,
  listChecks,
  listDevices,
  readPendingDays,
  type LiveDays,
} from '../../figures/projections/days.ts'
import { allDays } from '../../../core/domain/days/day-ranges.ts'
import { listStoredCells } from '../../figures/store/sales.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import type { ProjectionRow } from '../../figures/store/projections.ts'
import { clockOf, versionOf, type Projection } from '../../figures/projections/projection.ts'
import { readPendingSales, salesProjection, type LiveSales } from '../../figures/projections/sales.ts'
import { toChange } from '../../figures/projections/stretches.ts'

/** The amount of the journal that is read at once. */
const stretch = { entries: 500, bytes: 16 * 1024 ** 2 }

/** Days before today that are checked for missing announcements. */
const lookedBackDays = 45

/**
 * Maximum part of the journal after a projection's cursor; a projection further behind is verified when it has caught
 * up.
 */
const pendingAtMost = { entries: 20_000, bytes: 256 * 1024 ** 2 }

/** Sums by key, with the columns `names`: of the stored rows, or of rows computed from the documents. */
class Rows<Name extends string> {
  readonly #rows = new Map<string, Partial<Record<Name, number>>>()
  readonly #names: readonly Name[]

  constructor(names: readonly Name[]) {
    this.#names = names
  }

  add(key: string, row: Record<Name, number>): void {
    const sum: Partial<Record<Name, number>> = this.#rows.get(key) ?? {}
    for (const name of this.#names) sum[name] = (sum[name] ?? 0) + row[name]
    this.#rows.set(key, sum)
  }

  /** Describes the first row that differs between the two sets; an absent row counts as zeros. */
  differsFrom(made: Rows<Name>): string | undefined {
    const keys = new Set([...this.#rows.keys(), ...made.#rows.keys()])
    for (const key of [...keys].toSorted()) {
      const [kept, computed] = [this.#rows.get(key), made.#rows.get(key)]
      const name = this.#names.find((name) => (kept?.[name] ?? 0) !== (computed?.[name] ?? 0))
      if (name) return `${key} has ${name} ${kept?.[name] ?? 0} instead of ${computed?.[name] ?? 0}`
    }
    return undefined
  }
}

const cellKey = ({ day, kind, key }: Cell<StoredKind>) => `${day} ${kind} ${key}`.trim()

/** Returns the name of a sum in quotes; for a month or week also the day that the name comes from. */
const nameOf = ({ label, namedOn }: Cell<StoredKind>) =>
  label === '' ? '' : `${JSON.stringify(label)}${namedOn ? ` by ${namedOn}` : ''}`

const deviceKey = ({ day, deviceId }: DeviceDay) => `${day} ${deviceId}`

type Fold = (documents: readonly ReturnType<typeof readStoredOrder>[]) => void

async function walkOrders(sql: Sql, locationId: string, fold: Fold): Promise<void> {
  for await (const documents of walkDocuments(sql, 'orders', locationId)) fold(documents.map(readStoredOrder))
}

/** Yields every version of all orders up to a journal sequence, in order, in batches. */
async function* walkChanges(sql: Sql, locationId: string, until: number): AsyncGenerator<JournalOrder[]> {
  for (let after = 0; after < until;) {
    const size = { ...stretch, entries: Math.min(stretch.entries, until - after) }
    const { changes, reached } = await readOrderChanges(sql, locationId, after, size)
    if (reached === after) return
    // A resumed journal skipped numbers, so a stretch of that many entries may reach beyond `until`.
    yield changes.filter(({ seq }) => seq <= until)
    after = reached
  }
}

/**
 * Resolves to a function that returns whether the journal still has every version from which the row with a key was
 * made. Archived orders keep only their latest version. A key begins with its day.
 */
async function keysInJournal(sql: Sql, locationId: string): Promise<(key: string) => boolean> {
  const days = (await listAsides(sql, locationId)).map(({ lastDay }) => lastDay)
  const last = days.toSorted().at(-1)
  return (key) => last === undefined || key.slice(0, 10) > last
}

/** Finds a stored sum whose name differs from the name in the journal, up to the last entry that the sums include. */
async function findLabelFault(
  sql: Sql,
  locationId: string,
  { generation, clock }: LiveSales,
  kept: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const fold = startFold(businessTime(clock))
  for await (const changes of walkChanges(sql, locationId, generation.seq)) {
    for (const change of changes) fold.add(toChange(change))
  }
  const cells = fold.changed()
  const made = new Map([...cells, ...toPeriods(cells)].map((cell) => [cellKey(cell), nameOf(cell)]))
  const isInJournal = await keysInJournal(sql, locationId)
  const wrong = [...new Set([...kept.keys(), ...made.keys()])]
    .toSorted()
    .find((key) => isInJournal(key) && (kept.get(key) ?? '') !== (made.get(key) ?? ''))
  return wrong && `${wrong} is named ${kept.get(wrong) || 'nothing'} instead of ${made.get(wrong) || 'nothing'}`
}

/**
 * Returns whether a generation was made by the current rules and settings: any other generation is about to be
 * replaced.
 */
async function isCurrent(
  sql: Sql,
  locationId: string,
  projection: Projection,
  { version }: ProjectionRow,
): Promise<boolean> {
  const location = await findLocation(sql, locationId)
  return location !== undefined && (await versionOf(projection, sql, location)) === version
}

async function findCellFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const live = await readPendingSales(sql, locationId, pendingAtMost)
  if (!live || !(await isCurrent(sql, locationId, salesProjection, live.generation))) return undefined
  const { generation, clock, pending } = live
  const [kept, made] = [new Rows(measures), new Rows(measures)]
  const names = new Map<string, string>()
  const add = (rows: Rows<Measure>, cells: readonly Cell[]) => {
    for (const cell of [...cells, ...toPeriods(cells)]) rows.add(cellKey(cell), cell)
  }
  const place = { locationId, generation: generation.generation }
  for (const kind of cellKinds.flatMap((kind) => [kind, `month ${kind}`, `week ${kind}`] as const)) {
    for (const cell of await listStoredCells(sql, place, { kind, ...allDays })) {
      kept.add(cellKey(cell), cell)
      names.set(cellKey(cell), nameOf(cell))
    }
  }
  add(kept, pending)
  await walkOrders(sql, locationId, (orders) =>
    add(
      made,
      foldChanges(
        clock,
        orders.map((after) => ({ before: undefined, after })),
      ),
    ),
  )
  const fault = kept.differsFrom(made) ?? (await findLabelFault(sql, locationId, live, names))
  return fault && `the sum of ${fault}`
}

/** Finds a device and a day whose time of last activity differs from the journal; replaced versions count too. */
async function findLastSeenFault(sql: Sql, locationId: string, live: LiveDays): Promise<string | undefined> {
  const time = businessTime(live.clock)
  const made = new Map<string, string>()
  for await (const changes of walkChanges(sql, locationId, live.reached)) {
    const days = foldDeviceDays(
      time,
      changes.map(({ document }) => ({ before: undefined, after: readStoredOrder(document) })),
    )
    for (const day of days) {
      const lastAt = new Date(day.lastAt).toISOString()
      if (lastAt > (made.get(deviceKey(day)) ?? '')) made.set(deviceKey(day), lastAt)
    }
  }
  const kept = new Map<string, string>()
  for (const day of await listDevices(sql, locationId, live, allDays)) {
    if (day.lastAt > (kept.get(deviceKey(day)) ?? '')) kept.set(deviceKey(day), day.lastAt)
  }
  const isInJournal = await keysInJournal(sql, locationId)
  const wrong = [...new Set([...kept.keys(), ...made.keys()])]
    .toSorted()
    .find((key) => isInJournal(key) && kept.get(key) !== made.get(key))
  return (
    wrong && `${wrong} was last active at ${kept.get(wrong) ?? 'no time'} instead of ${made.get(wrong) ?? 'no time'}`
  )
}

async function findDayFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const live = await readPendingDays(sql, locationId, pendingAtMost)
  if (!live || !(await isCurrent(sql, locationId, daysProjection, live.generation))) return undefined
  const time = businessTime(clockOf(live.generation.version))
  const [kept, made] = [new Rows(deviceMeasures), new Rows(deviceMeasures)]
  for (const day of await listDevices(sql, locationId, live, allDays)) kept.add(deviceKey(day), day)
  await walkOrders(sql, locationId, (orders) => {
    for (const day of foldDeviceDays(
      time,
      orders.map((after) => ({ before: undefined, after })),
    ))
      made.add(deviceKey(day), day)
  })
  const fault = kept.differsFrom(made) ?? (await findLastSeenFault(sql, locationId, live))
  if (fault) return `the daily figures of a device are wrong: ${fault}`
  const place = { locationId, generation: live.generation.generation }
  const misplaced = await findMisplacedCheck(sql, place)
  if (misplaced) return `the check of report ${misplaced} has the wrong report, business day or till`
  const waits = await listWaits(sql, place)
  for (const { check, waits: fresh } of live.pending.checked) waits.set(check.reportId, fresh.toSorted())
  const checks = new Map((await listChecks(sql, locationId, live, allDays)).map((check) => [check.reportId, check]))
  for await (const documents of walkDocuments(sql, 'reports', locationId)) {
    const ids = documents.map((document) => (JSON.parse(document.toString()) as { id: string }).id.toLowerCase())
    const checked = await checkReports(sql, locationId, ids, { time, known: new Map() })
    const sums = (await sumsOfReports()?.find(sql, place, ids)) ?? new Map<string, string>()
    for (const one of live.pending.checked) if (one.sums) sums.set(one.check.reportId, JSON.stringify(one.sums))
    for (const { check, waits: made, sums: added } of checked) {
      if (sums.get(check.reportId) !== JSON.stringify(added)) {
        return `the books of report ${check.reportId} differ from the report and its orders`
      }
      const kept = (waits.get(check.reportId) ?? []).join(' ')
      if (kept !== made.toSorted().join(' ')) {
        return `report ${check.reportId} is stored as waiting for ${kept || 'no orders'}; expected: ${made.toSorted().join(' ') || 'no orders'}`
      }
      waits.delete(check.reportId)
      const known = checks.get(check.reportId)
      if (JSON.stringify(known) !== JSON.stringify(check)) {
        return `the check of report ${check.reportId} is ${known?.verdict ?? 'missing'} instead of ${check.verdict}`
      }
      checks.delete(check.reportId)
    }
  }
  const [left] = [...checks.keys(), ...[...waits].flatMap(([id, orders]) => (orders.length > 0 ? [id] : []))]
  return left && `the check of report ${left} has no report`
}

/**
 * Finds a recent business day that needs a journal entry, although no check of it or of a neighboring day is scheduled.
 */
async function findForgottenDay(sql: Sql, locationId: string, now: Date): Promise<string | undefined> {
  const live = await readPendingDays(sql, locationId, pendingAtMost)
  // Entries that are not folded yet will schedule the checks of their days.
  if (!live || live.reached > live.generation.seq) return undefined
  const today = businessTime(live.clock).dayOf(now.getTime())
  const range = { since: addDays(today, -lookedBackDays), until: today }
  const [days, due] = await Promise.all([
    readDays(sql, locationId, live, { range, now }),
    listAllDueDays(sql, locationId),
  ])
  // Checking a day also reads the days around it.
  const isLookedAt = ({ day: { date } }: ReadDay) =>
    due.some((day) => day >= addDays(date, -idleAfterDays) && day <= addDays(date, idleAfterDays))
  const forgotten = days.find((read) => isNews(read) && !isLookedAt(read))
  return (
    forgotten && `the business day ${forgotten.day.date} is ${forgotten.day.status}, but its event is not scheduled`
  )
}

/**
 * Describes the first row of the figures that does not follow from the documents: sums of sales, days of devices,
 * checks of reports and their missing orders, and days to announce. Returns undefined if every row follows, or if there
 * are no rows. Figures that are being rebuilt are skipped.
 */
export async function findFiguresFault(sql: Sql, locationId: string, now: Date): Promise<string | undefined> {
  return (
    (await findCellFault(sql, locationId)) ??
    (await findDayFault(sql, locationId)) ??
    (await findForgottenDay(sql, locationId, now))
  )
}
