const english = new Intl.PluralRules('en')
const french = new Intl.PluralRules('fr')

/** `one` or `other` of a count, with the count before it. */
export const few = (count: number, one: string, other: string): string =>
  `${count} ${english.select(count) === 'one' ? one : other}`

/** In French zero is singular too. */
export const peu = (count: number, un: string, autres: string): string =>
  `${count} ${french.select(count) === 'one' ? un : autres}`
