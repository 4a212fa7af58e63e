import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { MonthCalendar, MonthLegend } from '../../parts/months.tsx'
import { standingOf, tones, type BookDay } from './standing.tsx'

type Props = {
  month: string
  days: readonly BookDay[]
  chosen: string | undefined
  /** Earlier days were booked by another program. */
  startsOn: string | null
}

const states = ['blocked', 'refused', 'waiting', 'unmapped', 'changed', 'ready', 'issued', 'noSales', 'before'] as const

type State = (typeof states)[number]

const toneOf = { ...tones, noSales: 'plain', before: 'plain' } as const

/** Returns the state of a day: that of its worst Z, or `unmapped` if the day is ready but a name lacks an account. */
function stateOf({ date, state, sources }: BookDay, startsOn: string | null): State {
  if (state === null && startsOn !== null && date < startsOn) return 'before'
  if (state === null || state === 'empty') return 'noSales'
  const isReady = state === 'ready' || state === 'changed'
  return isReady && sources.some((source) => standingOf(source) === 'unmapped') ? 'unmapped' : state
}

/** A month of the books: the state of each day and of each Z. */
export function BookCalendar({ month, days, chosen, startsOn }: Props) {
  const { books: t } = useT()
  const format = useFormat()
  const of = new Map(days.map((day) => [day.date, day]))
  const wordOf = (state: State) => (state === 'noSales' || state === 'before' ? t[state] : t.state[state])
  const notesOf = ({ sources }: BookDay) => {
    const isMixed = new Set(sources.map(standingOf)).size > 1
    return sources
      .filter(({ type }) => type === 'report')
      .map((source) => (isMixed ? `${source.pieceRef} ${t.state[standingOf(source)]}` : source.pieceRef))
  }
  return (
    <>
      <MonthLegend
        states={states}
        toneOf={toneOf}
        wordOf={wordOf}
        countOf={(state) => days.filter((day) => stateOf(day, startsOn) === state).length}
      />
      <MonthCalendar
        month={month}
        chosen={chosen}
        dayOf={(date) => {
          const day = of.get(date)
          if (day === undefined) return undefined
          const state = stateOf(day, startsOn)
          return {
            state,
            tone: toneOf[state],
            word: wordOf(state),
            amount: day.sources.length > 0 ? format.money(day.salesInclTax) : null,
            notes: notesOf(day),
          }
        }}
      />
    </>
  )
}
