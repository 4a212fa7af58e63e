import type { WebhookStatisticsStep as Step } from '@tillgate/client'
import { useT } from '../../i18n/language.tsx'
import styles from './sparkline.module.css'

const hours = 24
const hourMs = 3_600_000

/** The last 24 hours of a webhook as bars: deliveries that succeeded, and above them those that failed. */
export function Sparkline({ steps, until }: { steps: readonly Step[]; until: string }) {
  const { webhooks } = useT()
  const end = Date.parse(until)
  const columns = Array.from({ length: hours }, (_, at) => {
    const from = end - (hours - at) * hourMs
    const step = steps.find((one) => Date.parse(one.from) >= from && Date.parse(one.from) < from + hourMs)
    return { at, good: step?.successes ?? 0, bad: step?.failures ?? 0 }
  })
  const most = Math.max(1, ...columns.map(({ good, bad }) => Math.max(good, bad)))
  const good = columns.filter((column) => column.good > 0).length
  const bad = columns.filter((column) => column.bad > 0).length
  return (
    <svg className={styles.spark} viewBox="0 0 96 24" role="img" aria-label={webhooks.spark(good, bad)}>
      {columns.map((column) => (
        <g key={column.at}>
          {(['good', 'bad'] as const).map((of) => (
            <rect
              key={of}
              x={column.at * 4 + (of === 'good' ? 0 : 1)}
              width={of === 'good' ? 3 : 1}
              y={24 - (column[of] / most) * 22}
              height={(column[of] / most) * 22}
              className={styles[of]}
            />
          ))}
        </g>
      ))}
      <path d="M0 23.500h95" className={styles.base} />
    </svg>
  )
}
