import type { WebhookStatistics as Statistics, WebhookStatisticsStep as Step } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Box, Columns } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { everyStep } from './steps.ts'

/** The deliveries of the last 24 hours: outcomes and response times, each as a chart with a summary and a table. */
export function Outcomes({ id }: { id: string }) {
  const { webhooks: t } = useT()
  const call: Call = { path: '/v1/webhooks/statistics', query: { step: '1h' } }
  const read = useApi<Statistics>(call, { everyMs: 60_000 })
  return (
    <Async read={read} rows={6}>
      {({ data, meta }) => {
        const steps = data.find(({ webhookId }) => webhookId === id)?.steps ?? []
        if (steps.length === 0) {
          return (
            <Box title={t.outcomes} call={call}>
              <Empty title={t.noAttempts} />
            </Box>
          )
        }
        return <Pictures steps={everyStep(steps, meta)} call={call} />
      }}
    </Async>
  )
}

function Pictures({ steps, call }: { steps: ReturnType<typeof everyStep<Step>>; call: Call }) {
  const { webhooks: t, common } = useT()
  const format = useFormat()
  const labels = steps.map(({ from }) => format.clock(from))
  const last = steps.findLast(({ found }) => found !== undefined)
  const hour = last === undefined ? '–' : format.clock(last.from)
  const classes = Object.keys(last?.found?.failuresByClass ?? {})
  return (
    <Columns wide>
      <Box title={t.outcomes} call={call}>
        <Chart
          title={t.outcomes}
          summary={t.outcomeSummary(hour, last?.found?.successes ?? 0, last?.found?.failures ?? 0, classes.join(', '))}
          axis={common.hour}
          labels={labels}
          write={(value) => format.number(value)}
          isCount
          fileName="deliveries"
          series={[
            { name: t.succeeded, kind: 'bar', values: steps.map(({ found }) => found?.successes ?? 0) },
            { name: t.failed, kind: 'bar', tone: 'bad', values: steps.map(({ found }) => found?.failures ?? 0) },
          ]}
        />
      </Box>
      <Box title={t.latency} call={call}>
        <Chart
          title={t.latency}
          summary={t.latencySummary(
            hour,
            format.duration(last?.found?.p50Ms ?? 0),
            format.duration(last?.found?.p95Ms ?? 0),
          )}
          axis={common.hour}
          labels={labels}
          write={(value) => format.duration(value)}
          isCount
          fileName="latency"
          series={[
            { name: 'p95', kind: 'bar', values: steps.map(({ found }) => found?.p95Ms ?? null) },
            { name: 'p50', kind: 'line', tone: 'muted', values: steps.map(({ found }) => found?.p50Ms ?? null) },
          ]}
        />
      </Box>
    </Columns>
  )
}
