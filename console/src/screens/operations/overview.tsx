import { useSearch, Link, type LinkProps } from '@tanstack/react-router'
import type { AdminOverview, AdminOverviewOfOne as OverviewEntry } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import type { Format } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Box, Notice, Page } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { FleetTable } from './fleet-table.tsx'
import { EditLocationDialog, NewLocationDialog } from './location-dialog.tsx'
import type { ProblemKind } from './shapes.ts'
import { useChange } from '../../parts/use-change.ts'
import { Way } from '../../parts/way.tsx'

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

/** Problems that occur at most once: a number would be meaningless. */
const alone = new Set<ProblemKind>(['silent', 'journal_broken', 'webhook_disabled', 'webhook_failing'])

/** Returns the screen to resolve a problem of a location. */
function wayOf(kind: ProblemKind, location: string, subject: string | null, since: string | null): LinkProps {
  const search = { location } as never
  if (kind === 'rejected')
    return { to: '/ops/rejected', search: { location, only: 'yes', since: since ?? undefined } as never }
  if (kind.startsWith('webhook') && subject !== null) return { to: '/webhooks/$id', params: { id: subject }, search }
  if (kind === 'journal_broken' || kind === 'not_verified') return { to: '/integrity', search }
  if (kind === 'day_revised') return { to: '/days', search }
  if (kind === 'report_unbalanced') return { to: '/z', search: { location, verdict: 'unbalanced' } as never }
  return { to: '/ops/tills', search }
}

/** Problems, one line each, in the server's order of locations: the worst first. */
function Troubled({ locations }: { locations: readonly OverviewEntry[] }) {
  const { ops: t, common } = useT()
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
          head: common.location,
          cell: ({ kind, locationId, subjectId, since, name }) => (
            <Way link={wayOf(kind, locationId, subjectId, since)}>
              <Foreign text={name} />
            </Way>
          ),
          // Several locations may have the same name.
          note: ({ city, locationId }) => (
            <>
              <Foreign text={city} /> <span className="mono">{locationId.slice(0, 8)}</span>
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

/** Writes the count of a problem with its unit; empty if the problem has no count. */
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

/** Problems first, then all locations in one table. */
export function Overview() {
  const { ops: t, places, common } = useT()
  const format = useFormat()
  const { find = '', dialog, id } = useSearch({ from: '/ops' })
  const change = useChange()
  const close = () => change({ dialog: undefined, id: undefined })
  const wholeCall: Call = { path: '/v1/admin/overview', query: { troubled: 'true' } }
  const whole = useApi<AdminOverview>(wholeCall, { everyMs: 15_000 })
  return (
    <Page
      title={places.fleet}
      call={wholeCall}
      actions={
        <Button kind="primary" onClick={() => change({ dialog: 'new' })}>
          {t.makeLocation}
        </Button>
      }
    >
      <Async read={whole} rows={6}>
        {({ data: troubled, meta, installation }) => (
          <>
            {installation.problems.map(({ kind, count }) => (
              <Notice key={kind} tone={kind === 'disk_low' || kind === 'database_clock' ? 'bad' : 'warn'}>
                <Link to="/ops/system">{t.installationProblems[kind](writeCount[kind](count, format, t.days))}</Link>
              </Notice>
            ))}
            {meta.locations === 0 ? (
              <Empty title={common.noLocation}>
                <Link to="/ops" search={{ dialog: 'new' }}>
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
      {whole.data?.data.meta.locations !== 0 && (
        <FleetTable
          troubled={whole.data?.data.data ?? []}
          find={find}
          onFind={(value) => change({ find: value || undefined })}
          onEdit={(location) => change({ dialog: 'edit', id: location })}
        />
      )}
      {dialog === 'new' && <NewLocationDialog onClose={close} />}
      {dialog === 'edit' && id !== undefined && <EditLocationDialog id={id} onClose={close} />}
    </Page>
  )
}
