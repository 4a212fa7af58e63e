import { Link } from '@tanstack/react-router'
import type { Sales } from '@tillgate/client'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { clockPeriods } from './paired.ts'
import { behind } from './sales-parts.tsx'
import styles from './heat-map.module.css'

const weekdays = [1, 2, 3, 4, 5, 6, 7]

/** Sales by weekday and time of day: a table whose cells are tinted by their share of the largest. */
export function HeatMap({ sales }: { sales: Sales }) {
  const { sales: t } = useT()
  const format = useFormat()
  const cells = new Map(sales.data.map(({ period, key, salesInclTax }) => [`${period} ${key}`, salesInclTax ?? 0]))
  const times = clockPeriods(
    sales.data.flatMap(({ key }) => (key === null ? [] : [key])),
    sales.meta.dayStartsAt,
    30,
  )
  const best = sales.data.reduce((one, other) => ((other.salesInclTax ?? 0) > (one.salesInclTax ?? 0) ? other : one))
  const most = Math.max(1, best.salesInclTax ?? 0)
  const title = t.parts['weekday,halfHour']
  return (
    <>
      <p className={styles.summary}>
        {t.bestTime(format.weekday(Number(best.period)), best.key ?? '', format.money(best.salesInclTax))}
      </p>
      <div className={styles.scroll} role="region" aria-label={title} tabIndex={0}>
        <table className={styles.table}>
          <caption className="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t.parts.halfHour}</th>
              {weekdays.map((weekday) => (
                <th key={weekday} scope="col" className="num">
                  {format.weekday(weekday)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time) => (
              <tr key={time} data-row>
                <th scope="row">{time}</th>
                {weekdays.map((weekday) => {
                  const amount = cells.get(`${weekday} ${time}`)
                  if (amount === undefined) return <td key={weekday} />
                  const share = Math.max(0, Math.min(1, amount / most))
                  return (
                    <td key={weekday} className="num">
                      <span className={styles.tint} aria-hidden="true" style={{ opacity: share }} />
                      <Link
                        className={styles.amount}
                        onFocus={({ currentTarget }) =>
                          currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
                        }
                        to="/orders"
                        search={{ ...behind(sales.meta), weekday: String(weekday) as '1', halfHour: time }}
                      >
                        {format.money(amount)}
                      </Link>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
