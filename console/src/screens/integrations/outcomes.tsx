import { useApi } from '../../api/use-api.ts'
import type { Call } from '../../api/request.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Box, Columns } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import type { Statistics, Step } from './shapes.ts'

/** What came of the last 24 hours: outcomes and answer times, each as a picture with its sentence and table. */
export function Outcomes({ id }: { id: string }) {
  const { webhooks: t } = useT()
  const call: Call = { path: '/v1/webhooks/statistics', query: { step: '1h' } }
  const read = useApi<Statistics>(call, { everyMs: 60_000 })
  return (
    <Async read={read} rows={6}>
      {({ data }) => {
        const steps = data.find(({ webhookId }) => webhookId === id)?.steps ?? []
        if (steps.length === 0) {
          return (
            <Box title={t.outcomes} call={call}>
              <Empty title={t.noAttempts} />
            </Box>
          )
        }
        return <Pictures steps={steps} call={call} />
      }}
    </Async>
  )
}

function Pictures({ steps, call }: { steps: readonly Step[]; call: Call }) {
  const { webhooks: t } = useT()
  const format = useFormat()
  const labels = steps.map(({ from }) => format.clock(from))
  const last = steps.at(-1)
  const classes = steps.flatMap(({ failuresByClass }) => Object.keys(failuresByClass))
  return (
    <Columns wide>
      <Box title={t.outcomes} call={call}>
        <Chart
          title={t.outcomes}
          summary={t.outcomeSummary(last?.successes ?? 0, last?.failures ?? 0, [...new Set(classes)].join(', '))}
          axis={t.hour}
          labels={labels}
          write={(value) => format.number(value)}
          fileName="deliveries.csv"
          series={[
            { name: t.succeeded, kind: 'bar', values: steps.map(({ successes }) => successes) },
            { name: t.failed, kind: 'line', tone: 'bad', values: steps.map(({ failures }) => failures) },
          ]}
        />
      </Box>
      <Box title={t.latency} call={call}>
        <Chart
          title={t.latency}
          summary={t.latencySummary(format.duration(last?.p50Ms ?? 0), format.duration(last?.p95Ms ?? 0))}
          axis={t.hour}
          labels={labels}
          write={(value) => format.duration(value)}
          fileName="latency.csv"
          series={[
            { name: 'p95', kind: 'bar', values: steps.map(({ p95Ms }) => p95Ms) },
            { name: 'p50', kind: 'line', tone: 'muted', values: steps.map(({ p50Ms }) => p50Ms) },
          ]}
        />
      </Box>
    </Columns>
  )
}
