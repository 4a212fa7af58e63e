/** Maximum length of a text filter of orders, in characters. */
export const longestFilter = 100

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\0-\x7f]*$/

/**
 * Normalizes a till's text for filters. The text is cut after the first character beyond the filter's limit, because
 * the length of an index entry is limited (docs/inside/06-finding-orders.md). Accented letters become one character
 * each, however the till writes them. The migrations that made the columns do the same.
 */
export function toFilterText(given: string): string {
  if (given.length <= longestFilter && ascii.test(given)) return given
  const text = given.normalize()
  if (text.length <= longestFilter) return text
  return Array.from(text.slice(0, 2 * longestFilter + 2))
    .slice(0, longestFilter + 1)
    .join('')
}
