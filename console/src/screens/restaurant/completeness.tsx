import type { Completeness as CompletenessAnswer } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { numberRanges } from '../../format/number-ranges.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Notice } from '../../parts/page.tsx'
import { Foreign } from '../../parts/text.tsx'

const silentMs = 30 * 60_000

/** The time up to which nothing is missing, and silent tills. */
export function Completeness() {
  const { today: t, days } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/completeness/' }
  const read = useApi<CompletenessAnswer>(call, { everyMs: 60_000 })
  const answer = read.data?.data
  if (answer === undefined || (answer.completeUntil === null && answer.devices.length === 0)) return null
  const active = answer.devices.filter(({ state }) => state === 'active')
  const silent = active.filter(
    ({ lastSeenAt }) => lastSeenAt !== null && Date.now() - Date.parse(lastSeenAt) > silentMs,
  )
  const missing = active.filter(({ missingOrders, missingReports }) => missingOrders > 0 || missingReports.length > 0)
  const isWell = missing.length === 0
  return (
    <Notice tone={isWell ? 'info' : 'warn'}>
      <span>
        {answer.completeUntil === null ? t.notComplete : t.completeUntil(format.dateTime(answer.completeUntil))}
        {silent.map(({ deviceId, deviceName, lastSeenAt }) => (
          <span key={deviceId ?? deviceName}>
            {' · '}
            <Foreign text={deviceName ?? t.unknownTill} />, {t.silentSince(format.ago(lastSeenAt ?? ''))}
          </span>
        ))}
        {missing.map(({ deviceId, deviceName, missingOrders, missingReports }) => (
          <span key={deviceId ?? deviceName}>
            {' · '}
            <Foreign text={deviceName ?? t.unknownTill} />
            {missingOrders > 0 && ` ${t.missing(missingOrders)}`}
            {missingReports.length > 0 &&
              `${missingOrders > 0 ? ',' : ''} ${days.zMissing(numberRanges(missingReports))}`}
          </span>
        ))}
      </span>
      <CopyCurl call={call} />
    </Notice>
  )
}
