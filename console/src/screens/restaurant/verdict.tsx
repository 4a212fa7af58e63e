import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Mark } from '../../parts/text.tsx'
import type { ReportCheck } from '@tillgate/client'
import { toneOf } from './checks.ts'

/** *balanced*, *differs by 10.00* or *waiting for 2 orders*. */
export function VerdictMark({ check }: { check: ReportCheck }) {
  const { reports } = useT()
  const format = useFormat()
  const { verdict, salesDifference, differences, orders } = check
  const texts = {
    balanced: reports.balanced,
    unbalanced:
      salesDifference === 0 ? reports.figuresDiffer(differences) : reports.differsBy(format.money(salesDifference)),
    waiting: reports.waitingFor(Math.max(orders.missing, orders.open)),
  }
  return <Mark tone={toneOf[verdict]}>{texts[verdict]}</Mark>
}
