import { Link } from '@tanstack/react-router'
import { addDays } from '../format/format.ts'
import { useFormat } from './place.tsx'
import type { Days } from './range.tsx'
import styles from './months.module.css'

const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

/** Returns the next month, or with −1 the previous one: `2026-04` for `2026-03`. */
export const monthAfter = (month: string, by: -1 | 1) => addDays(`${month}-15`, by * 30).slice(0, 7)

/** Returns the business days of a month; for the current month, those up to today. */
export const daysOfMonth = (month: string, today: string): Days => ({
  since: `${month}-01`,
  until: month === today.slice(0, 7) ? today : addDays(`${monthAfter(month, 1)}-01`, -1),
})

/** 0 for Monday. */
const placeOf = (date: string) => (new Date(`${date}T12:00:00Z`).getUTCDay() + 6) % 7

/** Returns the weeks of a month, Monday first; null for days of other months. */
function weeksOf(month: string): (string | null)[][] {
  const first = `${month}-01`
  const count = Number(addDays(`${monthAfter(month, 1)}-01`, -1).slice(8))
  const days = [
    ...Array.from({ length: placeOf(first) }, () => null),
    ...Array.from({ length: count }, (_, at) => addDays(first, at)),
  ]
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => days[week * 7 + at] ?? null),
  )
}

/** Links to the previous month and, if it has begun, to the next. */
export function MonthSteps({ month, today }: { month: string; today: string }) {
  const format = useFormat()
  const step = (by: -1 | 1) => {
    const to = monthAfter(month, by)
    return (
      <Link to="." search={(before: object) => ({ ...before, month: to, day: undefined, source: undefined })}>
        {by < 0 && <span aria-hidden="true">← </span>}
        {format.month(to)}
        {by > 0 && <span aria-hidden="true"> →</span>}
      </Link>
    )
  }
  return (
    <>
      {step(-1)} {month < today.slice(0, 7) && step(1)}
    </>
  )
}

/** The state of a day in a calendar; on a phone, words are for screen readers only. */
export type MonthDay = {
  state: string
  tone: string
  /** The state in words. */
  word: string
  amount: string | null
  /** Further remarks on the day. */
  notes: readonly string[]
}

/** A month of business days, each with a link and its state, including missing data. */
export function MonthCalendar({
  month,
  chosen,
  dayOf,
}: {
  month: string
  chosen: string | undefined
  /** Undefined for a future day. */
  dayOf: (date: string) => MonthDay | undefined
}) {
  const format = useFormat()
  const caption = format.month(month)
  return (
    <div className={styles.scroll} role="region" aria-label={caption} tabIndex={0}>
      <table className={styles.calendar}>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {weekdays.map((weekday) => (
              <th key={weekday} scope="col">
                <span aria-hidden="true">{format.weekday(weekday).slice(0, 3)}</span>
                <span className="hidden">{format.weekday(weekday)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week.find((date) => date !== null)}>
              {week.map((date, at) =>
                date === null ? (
                  <td key={weekdays[at]} className={styles.none} />
                ) : (
                  <Day key={weekdays[at]} date={date} day={dayOf(date)} isChosen={date === chosen} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Day({ date, day, isChosen }: { date: string; day: MonthDay | undefined; isChosen: boolean }) {
  const format = useFormat()
  if (day === undefined) {
    return (
      <td className={styles.none}>
        <span className={styles.date}>{Number(date.slice(8))}</span>
      </td>
    )
  }
  const { state, tone, word, amount, notes } = day
  return (
    <td className={styles.day} data-state={state} data-tone={tone} aria-current={isChosen ? 'date' : undefined}>
      <Link
        to="."
        search={(before: object) => ({ ...before, day: date, source: undefined })}
        className={styles.link}
        resetScroll={false}
      >
        <span className={styles.date}>
          <span aria-hidden="true">{Number(date.slice(8))}</span>
          <span className="hidden">{format.fullDay(date)}</span>
        </span>
        <span className={styles.state}>{word}</span>
        {amount !== null && <span className={styles.sales}>{amount}</span>}
        {notes.map((note) => (
          <span key={note} className={styles.missing}>
            {note}
          </span>
        ))}
      </Link>
    </td>
  )
}

type LegendProps<State extends string> = {
  states: readonly State[]
  toneOf: Readonly<Record<State, string>>
  wordOf: (state: State) => string
  countOf: (state: State) => number
}

/** The states of a calendar, and the number of days of each. */
export function MonthLegend<State extends string>({ states, toneOf, wordOf, countOf }: LegendProps<State>) {
  return (
    <p className={styles.legend}>
      {states
        .filter((state) => countOf(state) > 0)
        .map((state) => (
          <span key={state} data-tone={toneOf[state]} data-state={state}>
            {wordOf(state)} · {countOf(state)}
          </span>
        ))}
    </p>
  )
}
