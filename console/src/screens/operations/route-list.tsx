import type { AdminMetrics, AdminRoute } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async } from '../../parts/states.tsx'
import { Bar, Table } from '../../parts/table.tsx'
import { Foreign, Time } from '../../parts/text.tsx'

const call: Call = { path: '/v1/admin/metrics' }

/** Calls of each route in the answering process: number, outcomes and duration. */
export function RouteList() {
  const { ops: t, common } = useT()
  const format = useFormat()
  const read = useApi<AdminMetrics>(call, { everyMs: 30_000 })
  const within = (ms: number | null) =>
    ms === null ? t.longer(format.duration(10_000)) : t.within(format.duration(ms))
  return (
    <Box title={t.routes} call={call} flush>
      <Async read={read}>
        {({ since, routes }) => {
          const most = routes[0]?.requests ?? 1
          return (
            <>
              <p className="muted" style={{ padding: '0 1rem 0.6rem' }}>
                {t.countedSince} <Time at={since} as="ago" />
              </p>
              <Table<AdminRoute>
                caption={t.routes}
                rows={routes}
                keyOf={({ method, route }) => `${method} ${route}`}
                toRecords={asAnswered}
                columns={[
                  {
                    key: 'route',
                    head: t.route,
                    cell: ({ method, route }) => (
                      <code>
                        {method} <Foreign text={route} />
                      </code>
                    ),
                  },
                  {
                    key: 'requests',
                    head: common.requests,
                    isNumber: true,
                    cell: ({ requests }) => <Bar share={requests / most}>{format.number(requests)}</Bar>,
                  },
                  { key: 'refused', head: t.refused, isNumber: true, cell: ({ refused }) => format.number(refused) },
                  { key: 'failed', head: t.failed, isNumber: true, cell: ({ failed }) => format.number(failed) },
                  {
                    key: 'median',
                    head: t.median,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ medianMs }) => within(medianMs),
                  },
                  { key: 'p95', head: t.p95, isNumber: true, isExtra: true, cell: ({ p95Ms }) => within(p95Ms) },
                ]}
              />
            </>
          )
        }}
      </Async>
    </Box>
  )
}
