import type { AdminLocation, AdminOverviewOfOne } from '@tillgate/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useContext } from 'react'
import { PauseContext } from '../../api/pause.ts'
import type { Problem } from '../../api/problem.ts'
import { businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Ask, Filters } from '../../parts/filters.tsx'
import { fold } from '../../parts/found-places.ts'
import { Box } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Failure, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { numberColumn, timeColumn, actionColumn } from '../../parts/columns.tsx'
import { Way } from '../../parts/way.tsx'

const everyMs = 30_000

/** Returns the time from which rejected records are counted. */
const dayAgo = () => new Date(Date.now() - 86_400_000).toISOString()

/** Counts the business days that ended since the last complete one; null if unknown. */
function openDaysOf({ completeUntil, timeZone, currency, dayStartsAt }: AdminLocation): number | null {
  if (completeUntil === null) return null
  const dayOf = (at: Date) => businessDayOf(at, { timeZone, currency, dayStartsAt })
  const days = (Date.parse(dayOf(new Date())) - Date.parse(dayOf(new Date(completeUntil)))) / 86_400_000
  return Math.max(0, days - 1)
}

type Props = {
  troubled: readonly AdminOverviewOfOne[]
  find: string
  onFind: (find: string) => void
  onEdit: (id: string) => void
}

/** Every location of the installation: searched by name, town or id, sorted by any column. */
export function FleetTable({ troubled, find, onFind, onEdit }: Props) {
  const { ops: t, sales, screens, common, shell } = useT()
  const format = useFormat()
  const isPaused = useContext(PauseContext)
  const queryFn = useAllRows<AdminLocation>({ path: '/v1/admin/locations/' })
  const read = useQuery<AdminLocation[], Problem>({
    queryKey: ['fleet'],
    queryFn,
    refetchInterval: isPaused ? false : everyMs,
    placeholderData: keepPreviousData,
  })
  if (read.data === undefined)
    return read.error === null ? (
      <Loading rows={8} />
    ) : (
      <Failure problem={read.error} retry={() => void read.refetch()} />
    )
  const problemsOf = (id: string) => troubled.find(({ locationId }) => locationId === id)?.problems.length ?? 0
  const wanted = fold(find.trim())
  const rows = read.data
    .filter(({ id, name, city }) => [id, name, city].some((text) => fold(text).includes(wanted)))
    .toSorted((a, b) => problemsOf(b.id) - problemsOf(a.id) || a.name.localeCompare(b.name))
  return (
    <>
      <Filters>
        <Ask label={shell.findLocation} value={find} onChange={onFind} />
      </Filters>
      <Box title={screens.locations} call={{ path: '/v1/admin/locations/', query: { size: 100 } }} flush>
        <Table<AdminLocation>
          caption={screens.locations}
          rows={rows}
          id="fleet"
          keyOf={(location) => location.id}
          toRecords={({ today, ...location }) => [
            {
              ...asAnswered(location)[0],
              'today.businessDay': today?.businessDay ?? null,
              'today.orders': today?.orders ?? null,
              'today.salesInclTax': today && format.majorIn(today.salesInclTax, location.currency),
            },
          ]}
          columns={[
            {
              key: 'name',
              head: common.name,
              sort: ({ name }) => name,
              cell: ({ id: location, name }) => (
                <Way link={{ to: '/today', search: { location } as never }}>
                  <Foreign text={name} />
                </Way>
              ),
              note: ({ city, deactivatedAt, timeZone, currency, dayStartsAt }) => (
                <>
                  <Foreign text={city} /> {deactivatedAt !== null && <Mark tone="warn">{t.problems.deactivated}</Mark>}
                  <div>{`${timeZone} · ${currency} · ${dayStartsAt}`}</div>
                </>
              ),
            },
            {
              key: 'problems',
              head: t.problemCount,
              isNumber: true,
              sort: ({ id: location }) => problemsOf(location),
              cell: ({ id: location }) => problemsOf(location) || '–',
            },
            {
              key: 'push',
              head: t.lastPush,
              sort: ({ lastAcceptedAt }) => lastAcceptedAt,
              cell: ({ lastAcceptedAt }) => <Time at={lastAcceptedAt} as="ago" />,
              note: ({ lastOrderAt }) =>
                lastOrderAt !== null && (
                  <>
                    {common.named(t.lastOrder, '')}
                    <Time at={lastOrderAt} as="recent" />
                  </>
                ),
            },
            {
              key: 'sales',
              head: t.salesToday,
              isNumber: true,
              sort: ({ today }) => today?.salesInclTax ?? null,
              cell: ({ today, currency }) => (today === null ? '–' : format.moneyIn(today.salesInclTax, currency)),
              note: ({ today }) => today !== null && common.orderCount(today.orders),
            },
            numberColumn(format)('open', sales.aside.open, ({ openOrders }) => openOrders, {
              isShown: true,
              isExtra: true,
            }),
            {
              key: 'rejected',
              head: t.rejected24h,
              sort: ({ rejected24h }) => rejected24h,
              isNumber: true,
              isExtra: true,
              cell: ({ id: location, rejected24h }) =>
                rejected24h === 0 ? (
                  '0'
                ) : (
                  <Link to="/ops/rejected" search={{ location, only: 'yes', since: dayAgo() } as never}>
                    {format.number(rejected24h)}
                  </Link>
                ),
            },
            {
              key: 'webhooks',
              head: t.webhooks,
              isExtra: true,
              sort: ({ webhooks }) => webhooks.failing + webhooks.disabled,
              cell: ({ id: location, webhooks: { enabled, failing, disabled } }) => (
                <Way link={{ to: '/webhooks', search: { location } as never }}>
                  {`${enabled} / ${failing} / ${disabled}`}
                </Way>
              ),
            },
            {
              key: 'openDays',
              head: t.openDays,
              isNumber: true,
              isExtra: true,
              sort: openDaysOf,
              cell: (location) =>
                openDaysOf(location) === null ? (
                  '–'
                ) : (
                  <Way link={{ to: '/days', search: { location: location.id } as never }}>
                    {format.number(openDaysOf(location))}
                  </Way>
                ),
            },
            {
              ...timeColumn<AdminLocation>('backup', t.backup, ({ backupAt }) => backupAt, {
                as: 'ago',
                isExtra: true,
              }),
              sort: ({ backupAt }) => backupAt,
            },
            actionColumn(common.edit, ({ id }) => onEdit(id)),
          ]}
        />
      </Box>
    </>
  )
}
