import { useSearch } from '@tanstack/react-router'
import type { KeyErrorList, KeyUsage, OwnKey } from '@tillgate/client'
import { useScope, useSession } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { Box, Fact, Facts, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import { QuickStart } from './quick-start.tsx'
import { everyStep } from './steps.ts'
import { ListBox } from '../../parts/list-box.tsx'
import { timeColumn } from '../../parts/columns.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useRights } from '../../parts/who.tsx'

const spans = {
  '1h': { ms: 3_600_000, step: '1m' },
  '24h': { ms: 86_400_000, step: '1h' },
  '7d': { ms: 604_800_000, step: '1h' },
} as const

/** Reads the policy of the header `RateLimit-Policy`: the quota `q` in a window of `w` seconds. */
function readRateLimit(text: string): { perSecond: number; burst: number } | undefined {
  const [, quota] = /;q=(\d+)/.exec(text) ?? []
  const [, seconds] = /;w=(\d+)/.exec(text) ?? []
  return quota === undefined || seconds === undefined
    ? undefined
    : { perSecond: Number(quota) / Number(seconds), burst: Number(quota) }
}

/** Returns a past moment, rounded to the minute, so that repeated requests are the same. */
const sinceOf = (ms: number) => new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000).toISOString()

/** The counts in the chart, and how each is drawn. */
const drawn = {
  requests: { kind: 'bar', tone: 'accent' },
  refused: { kind: 'line', tone: 'warn' },
  failed: { kind: 'line', tone: 'bad' },
  rateLimited: { kind: 'line', tone: 'muted' },
} as const

export function Key() {
  const { key: t, screens, common, problems } = useT()
  const rights = useRights()
  const format = useFormat()
  const limitOf = (rateLimit: string | null) => {
    const limit = rateLimit === null ? undefined : readRateLimit(rateLimit)
    return limit ? t.perSecond(format.number(limit.perSecond), format.number(limit.burst)) : t.unlimited
  }
  const session = useSession()
  const reads = useScope('read')
  const change = useChange()
  const { span = '1h' } = useSearch({ from: '/key' })
  const { ms, step } = spans[span]
  const since = sinceOf(ms)
  const call: Call = { path: '/v1/keys/own' }
  const usageCall: Call = { path: '/v1/keys/own/usage', query: { since, step } }
  const errorsCall: Call = { path: '/v1/keys/own/errors', query: { since } }
  const own = useApi<OwnKey>(call)
  const usage = useApi<KeyUsage>(usageCall)
  const errors = useApi<KeyErrorList>(errorsCall)
  return (
    <Page title={screens.key} intro={t.intro} call={call}>
      <Box title={common.details}>
        <Async read={own} rows={3}>
          {(key) => (
            <Facts>
              <Fact name={common.name} text={key.name} />
              <Fact name={t.hint}>
                <code>{key.hint || '–'}</code>
              </Fact>
              <Fact name={common.rights}>{rights(key.scopes)}</Fact>
              <Fact name={t.createdAt} at={key.createdAt} />
              <Fact name={t.expiresAt}>{key.expiresAt === null ? t.never : <Time at={key.expiresAt} />}</Fact>
              <Fact name={common.lastUsed} at={key.lastUsedAt} as="ago" />
              <Fact name={t.limit}>{limitOf(key.rateLimit)}</Fact>
            </Facts>
          )}
        </Async>
      </Box>
      <Filters>
        <Choose label={common.period} value={span} choices={t.spans} onChange={(value) => change({ span: value })} />
      </Filters>
      <Box title={common.requests} call={usageCall}>
        <Async read={usage} rows={6}>
          {({ data, meta }) => {
            if (data.length === 0) {
              return (
                <Empty title={t.unused}>
                  <p>{t.unusedText}</p>
                </Empty>
              )
            }
            const steps = everyStep(data, meta)
            const nameOf = (from: string) => (span === '7d' ? format.dateTime(from) : format.clock(from))
            return (
              <Chart
                title={common.requests}
                summary={t.usageSummary(
                  nameOf(data.at(-1)?.from ?? meta.until),
                  data.at(-1)?.requests ?? 0,
                  format.number(data.at(-1)?.rateLimited ?? 0),
                )}
                axis={t.time}
                labels={steps.map(({ from }) => nameOf(from))}
                write={(value) => format.number(value)}
                isCount
                fileName="key-usage"
                series={(Object.keys(drawn) as (keyof typeof drawn)[]).map((count) => ({
                  name: count === 'requests' ? common.requests : t[count],
                  values: steps.map(({ found }) => found?.[count] ?? 0),
                  ...drawn[count],
                }))}
              />
            )
          }}
        </Async>
      </Box>
      <ListBox<KeyErrorList['data'][number], KeyErrorList>
        title={t.errors}
        call={errorsCall}
        read={errors}
        lines={4}
        none={t.noErrors}
        keyOf={({ code, operation }) => `${code}${operation}`}
        toRecords={asAnswered}
        columns={[
          {
            key: 'code',
            head: t.code,
            cell: ({ code, lastDetail }) => (
              <>
                <a
                  href={`${session.server.baseUrl.replace(/\/+$/, '')}/docs/errors/${code}`}
                  target="_blank"
                  rel="noreferrer noopener"
                >
                  <code>{code}</code>
                </a>
                <div>{problems[code][1]}</div>
                <div className="muted">
                  <Foreign text={lastDetail} lang="en" />
                </div>
              </>
            ),
          },
          { key: 'count', head: common.count, isNumber: true, cell: ({ count }) => format.number(count) },
          { key: 'operation', head: t.operation, cell: ({ operation }) => <Foreign text={operation} /> },
          timeColumn('last', t.last, ({ lastAt }) => lastAt, { as: 'second' }),
          {
            key: 'request',
            head: 'x-request-id',
            isExtra: true,
            cell: ({ lastRequestId }) => <code>{lastRequestId}</code>,
          },
        ]}
      />
      {reads && <QuickStart />}
    </Page>
  )
}
