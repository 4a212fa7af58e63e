import type { CatalogProduct } from '../../../core/contract/catalog/schema.ts'

/** Shortest prefix of an id that is searched, in hex digits. */
const leastOfId = 8

/** Returns the number of a Z report in a text: `Z 4346` as people write it, or the number alone. */
export function reportNumberOf(text: string): number | undefined {
  const digits = /^(?:z\s*(?:n[o°º]?\.?\s*)?)?(\d{1,15})$/i.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Returns the journal number in a text: a number, `#51238`, or the id of an event, which contains it. */
export function entryNumberOf(text: string): number | undefined {
  const digits = /^#?(\d{1,15})$/.exec(text)?.[1] ?? /^evt_[\da-f]{32}_[^_]+_(\d{1,15})_/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const lowest = '00000000-0000-0000-0000-000000000000'
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The ids from `first` to `last`, inclusive. */
export type IdRange = { first: string; last: string }

/**
 * Returns the range of ids that begin with a text, with or without hyphens; undefined if it is too short or not part of
 * an id.
 */
export function idRangeOf(text: string): IdRange | undefined {
  const digits = text.toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{8,32}$/.test(digits) || !/^[0-9a-f-]+$/i.test(text) || digits.length < leastOfId) return undefined
  const fill = (rest: string) => {
    const all = digits + rest.replaceAll('-', '').slice(digits.length)
    return `${all.slice(0, 8)}-${all.slice(8, 12)}-${all.slice(12, 16)}-${all.slice(16, 20)}-${all.slice(20)}`
  }
  return { first: fill(lowest), last: fill(highest) }
}

/** What people type for letters that do not decompose into a letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  œ: 'oe',
  æ: 'ae',
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

/** Strips case, accents and ligatures, as people do when they type. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[œæßøłđðþı]/g, (letter) => letters[letter] as string)

/** Finds at most `limit` products, by name. Each word of the text must begin a word of the product's name. */
export function findProducts(products: readonly CatalogProduct[], text: string, limit: number): CatalogProduct[] {
  const wanted = plain(text)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (wanted.length === 0) return []
  const fits = ({ name }: CatalogProduct) => {
    const words = plain(name).split(/[^\p{L}\p{N}]+/u)
    return wanted.every((start) => words.some((word) => word.startsWith(start)))
  }
  return products
    .filter(fits)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, limit)
}
