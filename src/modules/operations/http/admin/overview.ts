import { Type } from 'typebox'
import { dayMs } from '../../../../core/domain/days/time-units.ts'
import { AtOnce } from '../../../../core/projections/at-once.ts'
import type { AdminOverview } from '../../schemas/admin.ts'
import { closed } from '../../../../core/contract/scalars.ts'
import { measureClockOffset } from '../../../../core/store/db/observation.ts'
import { summariseLosses } from '../../../../core/store/journal/losses.ts'
import { summariseUpkeep, type UpkeepSummary } from '../../../../core/store/db/upkeep.ts'
import type { Writing, Process } from '../../../../core/http/context.ts'
import { named, operation } from '../../../../core/http/reference/route-schema.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { byAttention, lookAt, type Limits, type Overviewed } from './attention.ts'
import { locationPage, pageQuery } from '../../../../core/http/parameters/location-pages.ts'

/** How far apart the clocks of the database and of this process may be. */
const databaseClockMs = 5_000

/** Reported if the last good backup of a location is older than this many days. */
const backupDays = 2

/** Low disk space is reported below this share of the disk, or this multiple of the reserve, under which pushes are refused. */
const lowShare = 0.1
const lowReserves = 4

/** Reported if pushes will be refused within this many days. */
const diskDays = 14

/** Results for the whole installation are cached for this long, because each open console requests them. */
const wholeMs = 10_000
const upkeepMs = 60_000

/** At most this many locations that need attention are returned. */
const troubledAtMost = 500

/** The overview has pages: an installation may have thousands of locations. */
const OverviewQuery = Type.Object(
  {
    ...pageQuery,
    silentHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description:
          'Hours without accepted records after which a location needs attention. By default, it needs attention when the time since its last order is ' +
          'more than two hours longer than its usual pause at that time of the week. A location with less than three weeks of data needs attention after 24 hours without accepted records.',
      }),
    ),
    verifiedDays: Type.Optional(
      Type.Integer({
        default: 30,
        minimum: 1,
        maximum: 3_660,
        description: 'Days without a successful verification of its journal after which a location needs attention.',
      }),
    ),
    troubled: Type.Optional(
      Type.Literal(true, {
        description:
          `Only locations that need attention, of the whole installation, worst first; at most ${troubledAtMost}. Not paged: ` +
          '`cursor` and `size` are ignored. The result is cached for 10 seconds.',
      }),
    ),
  },
  closed,
)

/** All locations that need attention, and how many were looked at. */
type TroubledLocations = { troubled: Overviewed[]; looked: number }

/** Looks at the locations of the whole installation, page by page. */
async function lookAtAll({ pool, clock }: Process, limits: Limits): Promise<TroubledLocations> {
  const troubled: Overviewed[] = []
  let looked = 0
  let cursor: string | null | undefined
  do {
    const { rows, meta } = await locationPage(pool, cursor === undefined ? {} : { cursor: cursor as string })
    const found = await lookAt(pool, rows, limits, clock().getTime())
    troubled.push(...found.filter(({ problems }) => problems.length > 0))
    looked += rows.length
    cursor = meta.next
  } while (cursor !== null)
  return { troubled: troubled.toSorted(byAttention), looked }
}

/** Returns a function that caches results by name; at most one `read` runs at a time. */
function kept<T>(forMs: number): (name: string, read: () => Promise<T>) => Promise<T> {
  const reading = new AtOnce(1)
  const known = new Map<string, { atMs: number; value: T }>()
  return (name, read) =>
    reading.run(name, async () => {
      const last = known.get(name)
      if (last && performance.now() - last.atMs < forMs) return last.value
      const value = await read()
      // A name is made from the limits of a request. If the limits change, results for the old limits are rarely
      // requested again.
      if (!known.has(name)) known.clear()
      known.set(name, { atMs: performance.now(), value })
      return value
    })
}

/** Adds the operation that lists problems, by location and for the installation. */
export function adminOverviewRoutes(app: App, context: Writing & Process): void {
  const { pool, clock } = context
  const troubledOnce = kept<TroubledLocations>(wholeMs)
  const upkeep = kept<UpkeepSummary>(upkeepMs)

  /** Resolves to the problems of the installation as a whole: the disk, the clocks, backups. */
  async function installationProblems(): Promise<AdminOverview['installation']['problems']> {
    const problems: AdminOverview['installation']['problems'] = []
    const disk = await context.readDisk()
    if (context.diskIsLow()) problems.push({ kind: 'disk_low', count: 1 })
    else if (
      disk &&
      (disk.freeBytes < disk.totalBytes * lowShare || disk.freeBytes < disk.reserveBytes * lowReserves)
    ) {
      problems.push({ kind: 'disk_filling', count: disk.freeBytes })
    } else if (disk?.trend && disk.trend.daysLeft !== null && disk.trend.daysLeft < diskDays) {
      problems.push({ kind: 'disk_days_left', count: disk.trend.daysLeft })
    }
    const apartMs = Math.abs(Math.round(await measureClockOffset(pool, clock)))
    if (apartMs >= databaseClockMs) problems.push({ kind: 'database_clock', count: apartMs })
    const { entries } = await summariseLosses(pool)
    if (entries > 0) problems.push({ kind: 'entries_lost', count: entries })
    const { backupSince } = await upkeep('all', () => summariseUpkeep(pool))
    const ageMs = backupSince === null ? 0 : clock().getTime() - backupSince.getTime()
    if (ageMs >= backupDays * dayMs) problems.push({ kind: 'backup_old', count: ageMs })
    return problems
  }

  app.get(
    '/v1/admin/overview',
    {
      config: { scope: 'admin' },
      schema: operation({
        tags: ['Admin'],
        operationId: 'adminGetOverview',
        answer: 'Page of locations with what needs attention.',
        summary: 'Read what needs attention',
        description:
          'Returns the state of a page of locations, worst first. With `troubled`, the locations of the whole installation that ' +
          'need attention, with their number in `meta.troubled` and the number of all locations in `meta.locations`. Only with `troubled` does an empty list mean that none of these problems was found.',
        query: OverviewQuery,
        answers: { 200: named('AdminOverview') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<AdminOverview> => {
      const { troubled: isTroubled, silentHours, verifiedDays } = request.query
      const limits = { silentHours, verifiedDays }
      const installation = { problems: await installationProblems() }
      if (isTroubled) {
        const { troubled, looked } = await troubledOnce(JSON.stringify(limits), () => lookAtAll(context, limits))
        const meta = { next: null, locations: looked, troubled: troubled.length }
        return { data: troubled.slice(0, troubledAtMost), meta, installation }
      }
      const { rows, meta } = await locationPage(pool, request.query)
      const data = await lookAt(pool, rows, limits, clock().getTime())
      return { data: data.toSorted(byAttention), meta, installation }
    },
  )
}
