import { formatDuration } from '../../../core/domain/days/durations.ts'
import { findLastDamagedRead } from '../store/damaged-pages.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { schemaVersion } from '../../../core/store/db/migrations.ts'
import { summariseUpkeep, type UpkeepSummary } from '../../../core/store/db/upkeep.ts'
import { findFurthestAhead } from '../store/ahead.ts'
import { fail, ok, warn, type Check, type Finding } from './checks.ts'
import { some } from '../../../core/cli/terminal/output.ts'
import { minuteMs, hourMs } from '../../../core/domain/days/time-units.ts'
import { dataParts } from '../../../core/modules.ts'

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /** The checks of `doctor` for the module's rows. */
    check?(pool: Pool): Promise<Check | readonly Check[]>
  }
}

const ago = (at: Date, now: Date) => `${formatDuration(Math.max(0, now.getTime() - at.getTime()))} ago`

export function checkVerification({ broken, verify, withoutVerify }: UpkeepSummary, now: Date): Finding {
  const advice =
    'run tillgate verify to see the fault; docs/operate/operations.md, “A damaged page”, describes what to do'
  if (broken > 0) return fail(`${some(broken, 'location')} failed the last verification`, advice)
  if (withoutVerify > 0) {
    return warn(`${some(withoutVerify, 'location')} never verified`, 'run tillgate verify every night on a schedule')
  }
  return ok(
    verify === null ? 'there is nothing to verify' : `the oldest of the last verifications ended ${ago(verify, now)}`,
  )
}

export function checkBackup({ backup, withoutBackup }: UpkeepSummary, now: Date): Finding {
  const advice = 'run tillgate backup on a schedule, unless another tool backs up the database'
  if (withoutBackup > 0) return warn(`${some(withoutBackup, 'location')} never backed up`, advice)
  if (backup === null) return ok('there is nothing to back up')
  const detail = `the oldest of the last backups was made ${ago(backup, now)}`
  return now.getTime() - backup.getTime() > 26 * hourMs ? warn(detail, advice) : ok(detail)
}

/**
 * Reports a failure if a page with a wrong checksum was read, unless every location was successfully verified after
 * that.
 */
export function checkPages(damagedAt: Date | null, { verify, withoutVerify }: UpkeepSummary): Finding {
  if (damagedAt === null) return ok('no page with a wrong checksum was read')
  const at = damagedAt.toISOString()
  if (verify !== null && withoutVerify === 0 && verify > damagedAt)
    return ok(`a page with a wrong checksum was read at ${at}, but a later verification found every page valid`)
  return fail(`a page with a wrong checksum was read at ${at}`, 'run tillgate verify, which names the table')
}

export function checkAhead(furthest: { locationId: string; aheadMs: number; at: Date } | undefined): Finding {
  if (furthest === undefined || furthest.aheadMs <= minuteMs) return ok('no journal is ahead of the clock')
  const detail = `the journal of ${furthest.locationId} ends at ${furthest.at.toISOString()}, which is in the future`
  const advice =
    'a clock was ahead: until that time, new entries of this journal have this timestamp. Synchronize the machines with NTP; see docs/operate/operations.md, “A clock that was ahead”'
  return fail(detail, advice)
}

/** Resolves to the checks of the stored data; none if the tables belong to another version of the program. */
export async function checkRecords(pool: Pool): Promise<Check[]> {
  const version = await schemaVersion(pool).catch(() => undefined)
  if (version === undefined || version.current !== version.newest) return []
  const now = new Date()
  const [upkeep, damagedAt, ahead, ofModules] = await Promise.all([
    summariseUpkeep(pool),
    findLastDamagedRead(pool),
    findFurthestAhead(pool),
    Promise.all(dataParts().map(async (part) => part.check?.(pool) ?? [])),
  ])
  return [
    { name: 'verification', ...checkVerification(upkeep, now) },
    { name: 'backup', ...checkBackup(upkeep, now) },
    { name: 'pages', ...checkPages(damagedAt, upkeep) },
    { name: 'journals', ...checkAhead(ahead) },
    ...ofModules.flat(),
  ]
}
