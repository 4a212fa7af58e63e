import type { ReportCheckPage as CheckPage } from '@tillgate/client'
import { Link } from '@tanstack/react-router'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Fact, Facts } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { VerdictMark } from './verdict.tsx'

export function LastReport() {
  const { today: t, reports, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/reports/checks/', query: { sort: '-finalizedAt', size: 1 } }
  const read = useApi<CheckPage>(call)
  return (
    <Box title={t.lastReport} call={call} aside={<Link to="/z">{t.allReports}</Link>}>
      <Async read={read} rows={2}>
        {({ data: [check] }) =>
          check === undefined ? (
            <Empty title={reports.none} />
          ) : (
            <>
              <p>
                <Link to="/z/$id" params={{ id: check.reportId }}>
                  {reports.zNumber(check.reportNumber)}
                </Link>{' '}
                <VerdictMark check={check} />
              </p>
              <Facts>
                <Fact name={common.till} text={check.deviceName} />
                <Fact name={common.closed} at={check.finalizedAt} as="recent" />
                <Fact name={common.salesInclTax}>{format.money(check.totalSales)}</Fact>
              </Facts>
            </>
          )
        }
      </Async>
    </Box>
  )
}
