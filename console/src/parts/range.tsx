import { useNavigate } from '@tanstack/react-router'
import { addDays, businessDayOf, startOfBusinessDay, type Format } from '../format/format.ts'
import { useFormat } from './place.tsx'
import { useT } from '../i18n/language.tsx'
import { ranges, type RangeWord } from './search-params.ts'
import { Ask, Choose } from './filters.tsx'

export type RangeSearch = { range?: RangeWord | undefined; since?: string | undefined; until?: string | undefined }

export type Days = { since: string; until: string }

function wordToDays(word: RangeWord, today: string): Days {
  const month = today.slice(0, 7)
  const lastOfMonthBefore = addDays(`${month}-01`, -1)
  const days: Record<RangeWord, Days> = {
    today: { since: today, until: today },
    yesterday: { since: addDays(today, -1), until: addDays(today, -1) },
    '7d': { since: addDays(today, -6), until: today },
    '28d': { since: addDays(today, -27), until: today },
    month: { since: `${month}-01`, until: today },
    lastMonth: { since: `${lastOfMonthBefore.slice(0, 7)}-01`, until: lastOfMonthBefore },
    year: { since: `${today.slice(0, 4)}-01-01`, until: today },
  }
  return days[word]
}

/** Returns the business days that a URL selects, in the zone of the location. */
export function daysOf({ range, since, until }: RangeSearch, { place }: Format, fallback: RangeWord): Days {
  const today = businessDayOf(new Date(), place)
  if (since !== undefined || until !== undefined) {
    const from = since ?? until ?? today
    const to = until ?? today
    return from <= to ? { since: from, until: to } : { since: to, until: from }
  }
  return wordToDays(range ?? fallback, today)
}

/** Returns the first and last instant of business days, for lists by time. */
export function instantsOf({ since, until }: Days, { place }: Format): Days {
  const end = Date.parse(startOfBusinessDay(addDays(until, 1), place)) - 1
  return { since: startOfBusinessDay(since, place), until: new Date(end).toISOString() }
}

/** Days as words or as dates. Both are in the URL; a word is relative to the day on which it is opened. */
export function RangeChoice({ search, fallback }: { search: RangeSearch; fallback: RangeWord }) {
  const { common } = useT()
  const format = useFormat()
  const navigate = useNavigate()
  const isCustom = search.since !== undefined || search.until !== undefined
  const days = daysOf(search, format, fallback)
  const go = (values: RangeSearch) =>
    void navigate({
      to: '.',
      search: (before: object) => ({
        ...before,
        range: undefined,
        since: undefined,
        until: undefined,
        page: undefined,
        ...values,
      }),
    })
  const choices = [
    ...ranges.map((word) => [word, common.ranges[word]] as const),
    ['dates', common.ranges.dates] as const,
  ] as const
  return (
    <>
      <Choose
        label={common.period}
        value={isCustom ? 'dates' : (search.range ?? fallback)}
        choices={choices}
        onChange={(value) => go(value === 'dates' ? days : { range: value })}
      />
      {isCustom && (
        <>
          <Ask label={common.from} type="date" value={days.since} onChange={(since) => go({ ...days, since })} />
          <Ask label={common.to} type="date" value={days.until} onChange={(until) => go({ ...days, until })} />
        </>
      )}
    </>
  )
}
