import { clocksAhead } from '../../../figures/domain/devices.ts'
import { minuteMs, hourMs, dayMs } from '../../../../core/domain/days/time-units.ts'
import { breakerThreshold } from '../../../../core/domain/journal/retry-schedule.ts'
import { attentionKinds, codesOf } from '../../../../core/outcomes.ts'
import type { AdminOverview, AdminWebhook } from '../../schemas/admin.ts'
import type { Location } from '../../../../core/contract/location/schema.ts'
import { listLocationFacts, listLocationFaults, listWebhooksOf } from '../../store/admin.ts'
import { isSilent } from '../../store/silence.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import type { LocationRow } from '../../../../core/contract/location/rows.ts'
import { listRecentOrders } from '../../../figures/store/devices.ts'
import { toAdminWebhook } from './webhooks.ts'

/** A webhook is listed if it is behind by at least this many entries. */
const farBehind = 1_000

/** The Z reports of this many business days are checked. */
const reportDays = 7

/** Number of latest orders per location that are checked for clocks running ahead. */
const clockOrders = 100
/** A till whose clock is further ahead than this is a problem that the overview shows. */
const noticedAheadMs = minuteMs

/** Something that needs attention at a location, by its code. */
type Problem = AdminOverview['data'][number]['problems'][number]

/** Returns the problem of one webhook, if any: it is disabled, has been failing, or is far behind. */
function problemsOf({ id, state, behind, failingSince }: AdminWebhook): Problem[] {
  const about = { subjectId: id, since: failingSince }
  if (state === 'disabled') return [{ kind: 'webhook_disabled', ...about, count: 1 }]
  if (state === 'failing') return [{ kind: 'webhook_failing', ...about, count: 1 }]
  return behind >= farBehind ? [{ kind: 'webhook_behind', ...about, count: behind }] : []
}

/** Returns a problem if clocks of tills are ahead: `subjectId` is the till that is furthest ahead. */
async function clockProblems(pool: Pool, locationId: string, since: Date): Promise<Problem[]> {
  const orders = await listRecentOrders(pool, locationId, { since, limit: clockOrders })
  const toTimes = ({ deviceId, updatedAt, acceptedAt }: (typeof orders)[number]) => ({
    deviceId,
    updatedAt: updatedAt.getTime(),
    acceptedAt: acceptedAt.getTime(),
  })
  const ahead = [...clocksAhead(orders.map(toTimes))].filter(([, ms]) => ms >= noticedAheadMs)
  const [most] = ahead.toSorted(([, a], [, b]) => b - a)
  return most ? [{ kind: 'clock_ahead', since: null, count: ahead.length, subjectId: most[0] }] : []
}

/**
 * Reports that no verification of the journal has succeeded for some days, counted from the last success or from the first entry. A
 * journal without entries needs none.
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

export type Overviewed = AdminOverview['data'][number]

/**
 * The requested limits. Without `silentHours`, the usual rhythm of each location counts; the default of `verifiedDays`
 * is 30.
 */
export type Limits = { silentHours?: number | undefined; verifiedDays?: number | undefined }

type Row = Pick<LocationRow, 'id' | 'document' | 'deactivatedAt'>

/** Describes what needs attention at each location of a page, in the order of the page. */
export async function lookAt(pool: Pool, rows: readonly Row[], limits: Limits, now: number): Promise<Overviewed[]> {
  const { silentHours, verifiedDays: days = 30 } = limits
  const ids = rows.map(({ id }) => id)
  const silentBefore = new Date(now - (silentHours ?? 24) * hourMs)
  const rejectedSince = new Date(now - dayMs)
  const reportsSince = new Date(now - reportDays * dayMs).toISOString()
  const facts = await listLocationFacts(pool, ids, { rejectedSince, breakerThreshold })
  const rhythms = facts.map(async ({ id, lastOrderAt }): Promise<[string, boolean | undefined]> => {
    const needsCheck = silentHours === undefined && lastOrderAt !== null
    return [id, needsCheck ? await isSilent(pool, id, lastOrderAt, now) : undefined]
  })
  const [silences, webhooks, faults, clocks] = await Promise.all([
    Promise.all(rhythms),
    listWebhooksOf(pool, ids),
    listLocationFaults(pool, ids, reportsSince.slice(0, 10)),
    Promise.all(ids.map((id) => clockProblems(pool, id, rejectedSince))),
  ])
  const clocksOf = new Map(ids.map((id, at) => [id, clocks[at] ?? []]))
  const faultOf = new Map(faults.map((fault) => [fault.id, fault]))
  const silentOf = new Map(silences)
  const factOf = new Map(facts.map((fact) => [fact.id, fact]))
  const of = Map.groupBy(webhooks.map(toAdminWebhook), ({ locationId }) => locationId)
  return rows.map((row) => {
    const fact = factOf.get(row.id)
    const lastAcceptedAt = fact?.lastAcceptedAt ?? null
    const { brokenAt = null, unbalanced = 0, revised = 0, revisedAt = null } = faultOf.get(row.id) ?? {}
    const iso = (at: Date | null | undefined) => at?.toISOString() ?? null
    const byRhythm = silentOf.get(row.id)
    const since = byRhythm === undefined ? lastAcceptedAt : (fact?.lastOrderAt ?? null)
    const isActive = row.deactivatedAt === null
    const silent = isActive && (byRhythm ?? (since === null || since < silentBefore))
    const when = (holds: boolean, problem: Problem): Problem[] => (holds ? [problem] : [])
    const problems = [
      ...when(brokenAt !== null, { kind: 'journal_broken', since: iso(brokenAt), count: 1, subjectId: null }),
      ...when(silent, { kind: 'silent', since: iso(since), count: 1, subjectId: null }),
      ...when((fact?.rejected ?? 0) > 0, {
        kind: 'rejected',
        since: iso(fact?.firstRejectedAt),
        count: fact?.rejected ?? 0,
        subjectId: null,
      }),
      ...when(revised > 0, { kind: 'day_revised', since: iso(revisedAt), count: revised, subjectId: null }),
      ...when(unbalanced > 0, { kind: 'report_unbalanced', since: reportsSince, count: unbalanced, subjectId: null }),
      ...(isActive ? (of.get(row.id) ?? []).flatMap(problemsOf) : []),
      ...(isActive ? (clocksOf.get(row.id) ?? []) : []),
      ...(isActive ? verificationProblems(faultOf.get(row.id), { now, days }) : []),
    ]
    const { name, city } = JSON.parse(row.document) as Location
    return {
      locationId: row.id,
      name,
      city,
      sequence: fact?.sequence ?? 0,
      lastAcceptedAt: iso(lastAcceptedAt),
      problems,
    }
  })
}

const severity = new Map(codesOf(attentionKinds).map((kind, at) => [kind, at]))

/** Sorts locations by urgency: by the worst problem, by the number of problems, by name. */
export function byAttention(a: Overviewed, b: Overviewed): number {
  const worst = ({ problems }: Overviewed) => Math.min(...problems.map(({ kind }) => severity.get(kind) ?? 0), 99)
  return worst(a) - worst(b) || b.problems.length - a.problems.length || (a.name < b.name ? -1 : 1)
}
