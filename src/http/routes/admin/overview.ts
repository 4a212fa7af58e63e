import { Type } from 'typebox'
import { clocksAhead } from '../../../domain/figures/devices.ts'
import { isSilentSince, weekMs, weeksCompared } from '../../../domain/days/silence.ts'
import { breakerThreshold } from '../../../domain/journal/retry-schedule.ts'
import type { AdminOverview, AdminWebhook } from '../../../schemas/admin.ts'
import type { Location } from '../../../schemas/locations.ts'
import { closed } from '../../../schemas/scalars.ts'
import { listLocationFacts, listLocationFaults, listNextOrders, listWebhooksOf } from '../../../store/accounts/admin.ts'
import type { Pool } from '../../../store/db/database.ts'
import { listRecentOrders } from '../../../store/figures/devices.ts'
import { measureClockOffset } from '../../../store/db/observation.ts'
import type { Context } from '../../context.ts'
import type { App } from '../../server-types.ts'
import { named, operation } from '../../reference/route-schema.ts'
import { locationPage, pageQuery } from './pages.ts'
import { toAdminWebhook } from './webhooks.ts'
import { dayMs } from '../../../domain/days/time-units.ts'

/** A webhook is listed when it is behind by at least so many entries. */
const farBehind = 1_000

/** The Z reports of so many business days are checked. */
const reportDays = 7

/** Number of latest orders per location by which the clocks of tills are checked, and the tolerated lead in milliseconds. */
const clockOrders = 100
/** A till whose clock is further ahead than this is a problem that the overview shows. */
const clockAheadMs = 60_000

/** How far apart the clocks of the database and of this process may be. */
const databaseClockMs = 5_000

/** The overview has pages: an installation may have thousands of locations. */
const OverviewQuery = Type.Object(
  {
    ...pageQuery,
    silentHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description:
          'Hours without anything accepted after which a location is told of. Left out: when it has had no order for two hours ' +
          'longer than usual from that moment of the week on, or nothing for 24 hours while it is too new to say.',
      }),
    ),
    verifiedDays: Type.Optional(
      Type.Integer({
        default: 30,
        minimum: 1,
        maximum: 3_660,
        description: 'Days without a verification of its journal that held after which a location is told of.',
      }),
    ),
  },
  closed,
)

/** Is something that needs attention at a location, by its code. */
type Problem = AdminOverview['data'][number]['problems'][number]

/** Returns what is wrong with one webhook: it is disabled, or failing since some time. */
function problemsOf({ id, state, behind, failingSince }: AdminWebhook): Problem[] {
  const about = { subjectId: id, since: failingSince }
  if (state === 'disabled') return [{ kind: 'webhook_disabled', ...about, count: 1 }]
  if (state === 'failing') return [{ kind: 'webhook_failing', ...about, count: 1 }]
  return behind >= farBehind ? [{ kind: 'webhook_behind', ...about, count: behind }] : []
}

/** Lists the tills of a location whose clocks are ahead, as its last orders show. */
async function clockProblems(pool: Pool, locationId: string, since: Date): Promise<Problem[]> {
  const orders = await listRecentOrders(pool, locationId, { since, limit: clockOrders })
  const toTimes = ({ deviceId, updatedAt, acceptedAt }: (typeof orders)[number]) => ({
    deviceId,
    updatedAt: updatedAt.getTime(),
    acceptedAt: acceptedAt.getTime(),
  })
  const ahead = [...clocksAhead(orders.map(toTimes))].filter(([, ms]) => ms >= clockAheadMs)
  const [most] = ahead.toSorted(([, a], [, b]) => b - a)
  return most ? [{ kind: 'clock_ahead', since: null, count: ahead.length, subjectId: most[0] }] : []
}

/**
 * Reports that no verification of the journal has succeeded for so many days, counted from the last one that did, or
 * from the journal's first entry. A journal without entries needs none.
 */
function verificationProblems(
  fault: { verifiedAt: Date | null; firstAt: Date | null } | undefined,
  { now, days }: { now: number; days: number },
): Problem[] {
  const { verifiedAt = null, firstAt = null } = fault ?? {}
  const from = verifiedAt ?? firstAt
  if (firstAt === null || from === null) return []
  const unverifiedDays = Math.floor((now - from.getTime()) / dayMs)
  if (unverifiedDays < days) return []
  return [{ kind: 'not_verified', since: verifiedAt?.toISOString() ?? null, count: unverifiedDays, subjectId: null }]
}

/**
 * Resolves to whether a location that sold last at `lastAt` is silent for longer than usual; undefined where it is too
 * new to say.
 */
async function isSilent(pool: Pool, id: string, lastAt: Date, nowMs: number): Promise<boolean | undefined> {
  const moments = Array.from({ length: weeksCompared }, (_, weeks) => new Date(lastAt.getTime() - (weeks + 1) * weekMs))
  const found = await listNextOrders(pool, id, moments)
  const pausesMs = found.map(({ after, nextAt }) => nextAt.getTime() - after.getTime())
  return isSilentSince(lastAt.getTime(), pausesMs, nowMs)
}

/** Adds the overview of what needs attention, by location and for the installation. */
export function adminOverviewRoutes(app: App, context: Context): void {
  const { pool, clock } = context

  app.get(
    '/v1/admin/overview',
    {
      config: { scope: 'admin' },
      schema: operation({
        tags: ['Admin'],
        operationId: 'adminGetOverview',
        answer: 'A page of locations with what needs attention.',
        summary: 'Read what needs attention',
        description: 'Of a page of locations; within it those with the most problems come first.',
        query: OverviewQuery,
        answers: { 200: named('AdminOverview') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<AdminOverview> => {
      const now = clock().getTime()
      const { silentHours } = request.query
      const silentBefore = new Date(now - (silentHours ?? 24) * 3_600_000)
      const { rows, ids, meta } = await locationPage(pool, request.query)
      const rejectedSince = new Date(now - dayMs)
      const reportsSince = new Date(now - reportDays * dayMs).toISOString()
      const facts = await listLocationFacts(pool, ids, { rejectedSince, breakerThreshold })
      const rhythms = facts.map(async ({ id, lastOrderAt }): Promise<[string, boolean | undefined]> => {
        const isTold = silentHours === undefined && lastOrderAt !== null
        return [id, isTold ? await isSilent(pool, id, lastOrderAt, now) : undefined]
      })
      const [silences, webhooks, faults, clocks, clockOffsetMs] = await Promise.all([
        Promise.all(rhythms),
        listWebhooksOf(pool, ids),
        listLocationFaults(pool, ids, reportsSince.slice(0, 10)),
        Promise.all(ids.map((id) => clockProblems(pool, id, rejectedSince))),
        measureClockOffset(pool, clock),
      ])
      const clocksOf = new Map(ids.map((id, at) => [id, clocks[at] ?? []]))
      const faultOf = new Map(faults.map((fault) => [fault.id, fault]))
      const silentOf = new Map(silences)
      const factOf = new Map(facts.map((fact) => [fact.id, fact]))
      const of = Map.groupBy(webhooks.map(toAdminWebhook), ({ locationId }) => locationId)
      const data = rows.map((row) => {
        const fact = factOf.get(row.id)
        const lastAcceptedAt = fact?.lastAcceptedAt ?? null
        const { brokenAt = null, unbalanced = 0, revised = 0, revisedAt = null } = faultOf.get(row.id) ?? {}
        const problems: Problem[] = []
        if (brokenAt) {
          problems.push({ kind: 'journal_broken', since: brokenAt.toISOString(), count: 1, subjectId: null })
        }
        const byRhythm = silentOf.get(row.id)
        const since = byRhythm === undefined ? lastAcceptedAt : (fact?.lastOrderAt ?? null)
        if ((byRhythm ?? (since === null || since < silentBefore)) && row.deactivatedAt === null) {
          problems.push({ kind: 'silent', since: since?.toISOString() ?? null, count: 1, subjectId: null })
        }
        if (fact && fact.rejected > 0) {
          const since = fact.firstRejectedAt?.toISOString() ?? null
          problems.push({ kind: 'rejected', since, count: fact.rejected, subjectId: null })
        }
        if (revised > 0) {
          const since = revisedAt?.toISOString() ?? null
          problems.push({ kind: 'day_revised', since, count: revised, subjectId: null })
        }
        if (unbalanced > 0) {
          problems.push({ kind: 'report_unbalanced', since: reportsSince, count: unbalanced, subjectId: null })
        }
        if (row.deactivatedAt === null) {
          problems.push(...(of.get(row.id) ?? []).flatMap(problemsOf))
          problems.push(...(clocksOf.get(row.id) ?? []))
          const { verifiedDays: days = 30 } = request.query
          problems.push(...verificationProblems(faultOf.get(row.id), { now, days }))
        }
        const { name } = JSON.parse(row.document) as Location
        const sequence = fact?.sequence ?? 0
        return { locationId: row.id, name, sequence, lastAcceptedAt: lastAcceptedAt?.toISOString() ?? null, problems }
      })
      const installation: AdminOverview['installation'] = { problems: [] }
      if (context.diskIsLow()) installation.problems.push({ kind: 'disk_low', count: 1 })
      const apartMs = Math.abs(Math.round(clockOffsetMs))
      if (apartMs >= databaseClockMs) installation.problems.push({ kind: 'database_clock', count: apartMs })
      return { data: data.toSorted((a, b) => b.problems.length - a.problems.length), meta, installation }
    },
  )
}
