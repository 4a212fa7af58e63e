/** Returns the calendar year in which the fiscal year of a day begins; `startsOn` is its first day, `MM-DD`. */
export function fiscalYearOf(day: string, startsOn: string): number {
  const year = Number(day.slice(0, 4))
  return day.slice(5) >= startsOn ? year : year - 1
}

/** Returns the letter of a resumed journal's series: lost batches may be booked elsewhere under the same numbers. */
const letterOf = (resumed: number): string =>
  resumed === 0 ? '' : resumed < 26 ? String.fromCodePoint(97 + resumed) : `z${resumed}`

/** Names the series of a book journal and a fiscal year: `CA-2026`, or `CA-2026b` after the journal was resumed. */
export function seriesOf(
  journal: string,
  { day, startsOn, resumed }: { day: string; startsOn: string; resumed: number },
): string {
  return `${journal}-${fiscalYearOf(day, startsOn)}${letterOf(resumed)}`
}

export const numberText = (series: string, ordinal: number): string => `${series}-${String(ordinal).padStart(6, '0')}`

/** Returns the number of an entry in a preview, such as `CA-2026-P00001`. */
export const previewText = (series: string, ordinal: number): string => `${series}-P${String(ordinal).padStart(5, '0')}`
