/** The languages whose names of months are read. */
const languages = ['en', 'fr', 'de', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'ca', 'hu', 'ro']

const folded = (name: string) =>
  name
    .normalize('NFD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLowerCase()

let months: Map<string, number> | undefined

function readMonths(): Map<string, number> {
  const found = new Map<string, number>()
  for (const language of languages) {
    for (const width of ['long', 'short'] as const) {
      // Also with a day, because some languages then change the name of the month.
      for (const more of [{}, { day: 'numeric' as const }]) {
        const format = new Intl.DateTimeFormat(language, { month: width, timeZone: 'UTC', ...more })
        for (let month = 1; month <= 12; month++) {
          const shown = format.formatToParts(Date.UTC(2026, month - 1, 1)).find(({ type }) => type === 'month')
          const name = folded(shown?.value ?? '')
          if (/^\p{L}+$/u.test(name) && !found.has(name)) found.set(name, month)
        }
      }
    }
  }
  found.set('sept', 9)
  return found
}

/** Returns the number of a month by its name, long or short, in one of the languages; undefined for any other word. */
export function monthOf(name: string): number | undefined {
  months ??= readMonths()
  return months.get(folded(name))
}
