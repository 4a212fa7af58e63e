/** French sets a no-break space before these, and before a unit. */
const spaced = / (?=[:;?!%»])|(?<=«) |(?<=\d) (?=(?:ms|s|min|h)\b)/g

const set = (text: string) => text.replaceAll(spaced, '\u00a0')

/** Typesets the texts of a language, including those that its functions make, by French rules. */
export function typeset<T>(texts: T): T {
  if (typeof texts === 'string') return set(texts) as T
  if (typeof texts === 'function') return ((...values: unknown[]) => typeset((texts as Function)(...values))) as T
  if (Array.isArray(texts)) return texts.map((text: unknown) => typeset(text)) as T
  if (typeof texts !== 'object' || texts === null) return texts
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, typeset(text as unknown)])) as T
}
