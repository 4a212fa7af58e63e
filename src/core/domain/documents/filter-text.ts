/** Maximum length of a text filter of orders. */
export const longestFilter = 100

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\0-\x7f]*$/

/**
 * Returns a till's text as it is stored to be found by: no more of it than shows that it is longer than what can be
 * asked for. A text has no limit, and an entry of an index has one (docs/inside/06-finding-orders.md). Accented letters are one character each,
 * however the till writes them. The migrations that made the columns do the same.
 */
export function toFilterText(given: string): string {
  if (given.length <= longestFilter && ascii.test(given)) return given
  const text = given.normalize()
  if (text.length <= longestFilter) return text
  return Array.from(text.slice(0, 2 * longestFilter + 2))
    .slice(0, longestFilter + 1)
    .join('')
}
