/** Accepted spellings of yes and no. */
const words: Record<string, boolean> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
}

/** Parses the text of a flag or variable; undefined if it is not a value of that type. */
export function parseSetting(type: string, given: string | boolean | string[]): unknown {
  if (typeof given === 'boolean') return given
  const parts = [given]
    .flat()
    .flatMap((part) => part.split(/[,\s]+/))
    .filter((part) => part !== '')
  if (type === 'array') return parts
  const text = [given].flat().join(',').trim()
  if (type === 'boolean') return words[text.toLowerCase()]
  if (type === 'string') return text
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined
}
