import { Link } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Fact, Facts } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import type { CheckPage } from './checks.ts'
import { VerdictMark } from './verdict.tsx'

export function LastReport() {
  const { today: t, reports } = useT()
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
                <Fact name={reports.till}>
                  <Foreign text={check.deviceName} />
                </Fact>
                <Fact name={reports.finalized}>
                  <Time at={check.finalizedAt} as="recent" />
                </Fact>
                <Fact name={reports.sales}>{format.money(check.totalSales)}</Fact>
              </Facts>
            </>
          )
        }
      </Async>
    </Box>
  )
}
