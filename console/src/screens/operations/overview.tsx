import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AdminOverview } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import type { Format } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Box, Notice, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { More } from '../../parts/more.tsx'
import type { OverviewEntry, Page as List, ProblemKind } from './shapes.ts'

const api = getRouteApi('/ops')

const tones = {
  silent: 'warn',
  rejected: 'warn',
  webhook_disabled: 'bad',
  journal_broken: 'bad',
  report_unbalanced: 'warn',
  day_revised: 'bad',
  webhook_failing: 'warn',
  webhook_behind: 'warn',
  deactivated: 'info',
  not_verified: 'info',
  clock_ahead: 'warn',
} as const

/** Problems of which there is one or none: a number would say nothing. */
const alone = new Set<ProblemKind>(['silent', 'journal_broken', 'webhook_disabled', 'webhook_failing'])

/** Where a problem is dealt with. */
function ProblemLink({
  kind,
  location,
  subject,
  since,
  children,
}: {
  kind: ProblemKind
  location: string
  subject: string | null
  since: string | null
  children: ReactNode
}) {
  if (kind === 'rejected') {
    return (
      <Link to="/ops/rejected" search={{ location, only: 'yes', since: since ?? undefined } as never}>
        {children}
      </Link>
    )
  }
  if (kind.startsWith('webhook') && subject !== null) {
    return (
      <Link to="/webhooks/$id" params={{ id: subject }} search={{ location } as never}>
        {children}
      </Link>
    )
  }
  if (kind === 'journal_broken' || kind === 'not_verified') {
    return (
      <Link to="/integrity" search={{ location } as never}>
        {children}
      </Link>
    )
  }
  if (kind === 'day_revised') {
    return (
      <Link to="/days" search={{ location } as never}>
        {children}
      </Link>
    )
  }
  if (kind === 'report_unbalanced') {
    return (
      <Link to="/z" search={{ location, verdict: 'unbalanced' } as never}>
        {children}
      </Link>
    )
  }
  return (
    <Link to="/ops/tills" search={{ location } as never}>
      {children}
    </Link>
  )
}

/** What needs attention, a line for each problem, as the server sorts locations: the worst first. */
function Troubled({ locations }: { locations: readonly OverviewEntry[] }) {
  const { ops: t } = useT()
  const format = useFormat()
  return (
    <Table
      caption={t.attention}
      rows={locations.flatMap(({ locationId, name, city, problems }) =>
        problems.map((problem) => ({ ...problem, locationId, name, city })),
      )}
      keyOf={({ locationId, kind, subjectId }) => `${locationId}${kind}${subjectId}`}
      columns={[
        {
          key: 'kind',
          head: t.problem,
          cell: ({ kind, count, since }) => (
            <Mark tone={tones[kind]}>
              {kind === 'silent' && since === null
                ? t.neverHeard
                : alone.has(kind)
                  ? t.problems[kind]
                  : `${t.problems[kind]} · ${format.number(count)}`}
            </Mark>
          ),
          file: ({ kind }) => kind,
        },
        {
          key: 'name',
          head: t.location,
          cell: ({ kind, locationId, subjectId, since, name, city }) => (
            <>
              <ProblemLink kind={kind} location={locationId} subject={subjectId} since={since}>
                <Foreign text={name} />
              </ProblemLink>
              <Town city={city} id={locationId} />
            </>
          ),
          file: ({ name, city }) => `${name}, ${city}`,
        },
        {
          key: 'since',
          head: t.since,
          cell: ({ kind, since }) => (kind === 'report_unbalanced' ? t.lastWeek : <Time at={since} as="ago" />),
          file: ({ since }) => since,
        },
      ]}
    />
  )
}

/** What tells locations of one name apart. */
function Town({ city, id }: { city: string; id: string }) {
  return (
    <div className="muted">
      <Foreign text={city} /> <span className="mono">{id.slice(0, 8)}</span>
    </div>
  )
}

/** What needs attention first, then a line per location. */
/** What the count of a problem is in. */
const writeCount: Record<
  AdminOverview['installation']['problems'][number]['kind'],
  (count: number, format: Format, days: (count: number) => string) => string
> = {
  disk_low: () => '',
  disk_filling: (bytes, format) => format.bytes(bytes),
  disk_days_left: (count, _, days) => days(count),
  entries_lost: (count, format) => format.number(count),
  backup_old: (ms, format) => format.duration(ms),
  database_clock: (ms, format) => format.duration(ms),
}

export function Overview() {
  const { ops: t, screens } = useT()
  const format = useFormat()
  const { cursor } = api.useSearch()
  const call: Call = { path: '/v1/admin/overview', query: { cursor } }
  const wholeCall: Call = { path: '/v1/admin/overview', query: { troubled: 'true' } }
  const read = useApi<List<OverviewEntry>>(call, { everyMs: 15_000 })
  const allRows = useAllRows<OverviewEntry>(call)
  const whole = useApi<AdminOverview>(wholeCall, { everyMs: 15_000 })
  return (
    <Page title={screens.overview} call={call}>
      <Async read={whole} rows={6}>
        {({ data: troubled, meta, installation }) => (
          <>
            {installation.problems.map(({ kind, count }) => (
              <Notice key={kind} tone={kind === 'disk_low' || kind === 'database_clock' ? 'bad' : 'warn'}>
                <Link to="/ops/system">{t.installationProblems[kind](writeCount[kind](count, format, t.days))}</Link>
              </Notice>
            ))}
            {meta.locations === 0 ? (
              <Empty title={t.noLocations}>
                <Link to="/ops/locations" search={{ dialog: 'new' }}>
                  {t.makeLocation}
                </Link>
              </Empty>
            ) : troubled.length === 0 ? (
              <Notice tone="good">{t.allWellOf(meta.locations ?? 0)}</Notice>
            ) : (
              <Box title={t.attentionOf(meta.troubled ?? 0, meta.locations ?? 0)} call={wholeCall} flush>
                <Troubled locations={troubled} />
              </Box>
            )}
          </>
        )}
      </Async>
      <Async read={read} rows={10}>
        {({ data, meta }) => (
          <>
            {data.length > 0 && (
              <Box title={screens.locations} flush>
                <Table<OverviewEntry>
                  caption={screens.locations}
                  rows={data}
                  keyOf={({ locationId }) => locationId}
                  allRows={allRows}
                  toRecords={({ problems, ...location }) => [{ ...asAnswered(location)[0], problems: problems.length }]}
                  columns={[
                    {
                      key: 'name',
                      head: t.name,
                      cell: ({ locationId, name, city }) => (
                        <>
                          <Link to="/today" search={{ location: locationId } as never}>
                            <Foreign text={name} />
                          </Link>
                          <Town city={city} id={locationId} />
                        </>
                      ),
                    },
                    {
                      key: 'problems',
                      head: t.problemCount,
                      isNumber: true,
                      cell: ({ problems }) => problems.length,
                    },
                    {
                      key: 'sequence',
                      head: t.journal,
                      isNumber: true,
                      cell: ({ sequence }) => format.number(sequence),
                    },
                    {
                      key: 'last',
                      head: t.lastPush,
                      cell: ({ lastAcceptedAt }) => <Time at={lastAcceptedAt} as="ago" />,
                    },
                  ]}
                />
                <More cursor={cursor} next={meta.next} />
              </Box>
            )}
          </>
        )}
      </Async>
    </Page>
  )
}
