import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { KeyErrorList, KeyUsage, OwnKey } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useScope, useSession } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { Box, Fact, Facts, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import { QuickStart } from './quick-start.tsx'
import { everyStep } from './steps.ts'

const api = getRouteApi('/key')

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

/** Rounded to the minute, so that repeated requests are the same. */
const sinceOf = (ms: number) => new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000).toISOString()

export function Key() {
  const { key: t, screens, shell, common, problems } = useT()
  const format = useFormat()
  const limitOf = (rateLimit: string | null) => {
    const limit = rateLimit === null ? undefined : readRateLimit(rateLimit)
    return limit ? t.perSecond(format.number(limit.perSecond), format.number(limit.burst)) : t.unlimited
  }
  const session = useSession()
  const reads = useScope('read')
  const navigate = useNavigate({ from: '/key' })
  const { span = '1h' } = api.useSearch()
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
      <Box title={t.facts}>
        <Async read={own} rows={3}>
          {(key) => (
            <Facts>
              <Fact name={t.name}>
                <Foreign text={key.name || '–'} />
              </Fact>
              <Fact name={t.hint}>
                <code>{key.hint || '–'}</code>
              </Fact>
              <Fact name={shell.rights}>{key.scopes.map((scope) => shell.scopes[scope]).join(', ')}</Fact>
              <Fact name={t.createdAt}>
                <Time at={key.createdAt} />
              </Fact>
              <Fact name={t.expiresAt}>{key.expiresAt === null ? t.never : <Time at={key.expiresAt} />}</Fact>
              <Fact name={t.lastUsed}>
                <Time at={key.lastUsedAt} as="ago" />
              </Fact>
              <Fact name={t.limit}>{limitOf(key.rateLimit)}</Fact>
            </Facts>
          )}
        </Async>
      </Box>
      <Filters>
        <Choose
          label={common.period}
          value={span}
          choices={[
            ['1h', t.spans['1h']],
            ['24h', t.spans['24h']],
            ['7d', t.spans['7d']],
          ]}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, span: value }) })}
        />
      </Filters>
      <Box title={t.usage} call={usageCall}>
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
                title={t.usage}
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
                series={[
                  { name: t.usage, kind: 'bar', values: steps.map(({ found }) => found?.requests ?? 0) },
                  {
                    name: t.refused,
                    kind: 'line',
                    tone: 'warn',
                    values: steps.map(({ found }) => found?.refused ?? 0),
                  },
                  { name: t.failed, kind: 'line', tone: 'bad', values: steps.map(({ found }) => found?.failed ?? 0) },
                  {
                    name: t.rateLimited,
                    kind: 'line',
                    tone: 'muted',
                    values: steps.map(({ found }) => found?.rateLimited ?? 0),
                  },
                ]}
              />
            )
          }}
        </Async>
      </Box>
      <Box title={t.errors} call={errorsCall} flush>
        <Async read={errors} rows={4}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.noErrors} />
            ) : (
              <Table
                caption={t.errors}
                rows={data}
                keyOf={({ code, operation }) => `${code}${operation}`}
                toRecords={asAnswered}
                columns={[
                  { key: 'count', head: t.count, isNumber: true, cell: ({ count }) => format.number(count) },
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
                  { key: 'operation', head: t.operation, cell: ({ operation }) => <Foreign text={operation} /> },
                  { key: 'last', head: t.last, cell: ({ lastAt }) => <Time at={lastAt} as="second" /> },
                  {
                    key: 'request',
                    head: 'x-request-id',
                    isExtra: true,
                    cell: ({ lastRequestId }) => <code>{lastRequestId}</code>,
                  },
                ]}
              />
            )
          }
        </Async>
      </Box>
      {reads && <QuickStart />}
    </Page>
  )
}
