import type { Delivery } from '@tillgate/client'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import styles from './waterfall.module.css'

const names = ['dnsMs', 'connectMs', 'tlsMs', 'headersMs', 'bodyMs'] as const

/** The phases of an attempt: a table whose bars begin where the previous phase ended. */
export function Waterfall({ phases, totalMs }: { phases: Delivery['phases']; totalMs: number }) {
  const { webhooks: t, common } = useT()
  const format = useFormat()
  const rows = names.map((name, place) => {
    const before = names.slice(0, place).map((earlier) => phases[earlier] ?? 0)
    return { name, ms: phases[name], from: before.reduce((sum, ms) => sum + ms, 0) }
  })
  const last = rows.at(-1)
  const whole = Math.max(1, totalMs, (last?.from ?? 0) + (last?.ms ?? 0))
  return (
    <table className={styles.waterfall}>
      <caption className="hidden">{t.time}</caption>
      <tbody>
        {rows.map(({ name, ms, from: start }) => (
          <tr key={name}>
            <th scope="row">{t.phases[name]}</th>
            <td className={styles.track}>
              {ms !== null && (
                <span
                  aria-hidden="true"
                  className={styles.bar}
                  style={{
                    insetInlineStart: `${(start / whole) * 100}%`,
                    inlineSize: `max(2px, ${(ms / whole) * 100}%)`,
                  }}
                />
              )}
            </td>
            <td className="num">{ms === null ? '–' : format.duration(ms)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{common.total}</th>
          <td />
          <td className="num">{format.duration(totalMs)}</td>
        </tr>
      </tfoot>
    </table>
  )
}
