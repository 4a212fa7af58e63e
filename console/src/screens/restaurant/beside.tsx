import type { Sales } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { weekdayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { CopyCurl, useRequests } from '../../parts/copy.tsx'
import { Box } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import type { Column } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import styles from './parts.module.css'

const everyMs = 60_000

export const dayFigures = ['salesInclTax', 'orders', 'guests', 'averagePerOrder', 'averagePerGuest'] as const

export type DayFigure = (typeof dayFigures)[number]

export const isCount = (name: DayFigure) => name === 'orders' || name === 'guests'

/** A figure of the compared day, and the change from it. */
function Then({ sales, name }: { sales: Sales; name: DayFigure }) {
  const format = useFormat()
  const { totals, comparison, meta } = sales
  // Before the first day of a restaurant there is no value, not 0.
  if (comparison === undefined || meta.firstDay === null || comparison.until < meta.firstDay) return '–'
  const [now, then, change] = [totals[name], comparison.totals[name], comparison.change[name] ?? null]
  return (
    <>
      {isCount(name) ? format.number(then) : format.money(then)}
      {now !== null && then !== null && (
        <div className={styles.difference}>
          <span data-difference>
            {isCount(name) ? format.numberChange(now - then) : format.moneyChange(now - then)}
          </span>
          {change !== null && <> ({format.fraction(change)})</>}
        </div>
      )}
    </>
  )
}

/** A day compared with the same weekday one week and 52 weeks earlier. An open day is compared up to the same minute. */
export function Beside({ day, isOpen }: { day: string; isOpen: boolean }) {
  const { today: t, sales: texts } = useT()
  const format = useFormat()
  const requests = useRequests()
  const asked = (compare: 'weekday' | 'yearWeekday'): Call => ({
    path: '/v1/sales/',
    query: { since: day, until: day, compare, upToNow: isOpen ? 'true' : undefined },
  })
  const week = useApi<Sales>(asked('weekday'), { everyMs })
  const year = useApi<Sales>(asked('yearWeekday'), { everyMs })
  const then = (key: string, title: string, sales: Sales): Column<DayFigure> => {
    const date = sales.comparison?.since
    return {
      key,
      head: date === undefined ? title : `${title} · ${format.days(date, date)}`,
      isNumber: true,
      cell: (name) => <Then sales={sales} name={name} />,
    }
  }
  const upTo = week.data?.data.comparison?.upTo
  return (
    <Box title={t.besideTitle(format.weekday(weekdayOf(day)))} call={asked('yearWeekday')} flush>
      <Async read={week} rows={5}>
        {(ofWeek) => (
          <Async read={year} rows={5}>
            {(ofYear) => (
              <Table<DayFigure>
                caption={t.besideCaption}
                rows={dayFigures}
                keyOf={(name) => name}
                columns={[
                  { key: 'name', head: t.figure, isOneWord: true, cell: (name) => texts.figures[name] },
                  {
                    key: 'now',
                    head: isOpen ? t.soFar : format.day(day),
                    isNumber: true,
                    cell: (name) => {
                      const value = ofWeek.totals[name]
                      return <strong>{isCount(name) ? format.number(value) : format.money(value)}</strong>
                    },
                  },
                  then('week', t.lastWeek, ofWeek),
                  then('year', t.lastYear, ofYear),
                ]}
              />
            )}
          </Async>
        )}
      </Async>
      <p className={styles.foot}>
        {upTo === undefined ? requests?.areShown && t.lastWeek : t.besideUpTo(format.clock(upTo))}{' '}
        <CopyCurl call={asked('weekday')} />
      </p>
    </Box>
  )
}
