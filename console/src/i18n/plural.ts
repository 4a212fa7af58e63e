const english = new Intl.PluralRules('en')
const french = new Intl.PluralRules('fr')
const inEnglish = new Intl.NumberFormat('en-GB')
const inFrench = new Intl.NumberFormat('fr-FR')

/** Returns the count, followed by `one` or `other` as the count requires. */
export const few = (count: number, one: string, other: string): string =>
  `${inEnglish.format(count)} ${english.select(count) === 'one' ? one : other}`

/** Does what `few` does, in French, where zero is singular too. */
export const peu = (count: number, un: string, autres: string): string =>
  `${inFrench.format(count)} ${french.select(count) === 'one' ? un : autres}`
