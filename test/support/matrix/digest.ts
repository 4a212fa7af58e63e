import { hash } from 'node:crypto'

/** Sorts the keys of every object: the order of keys does not change a document. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

/** Returns a digest of a document in 16 characters. */
export function digestOf(document: unknown): string {
  return hash('sha256', JSON.stringify(sorted(document)), 'base64url').slice(0, 16)
}
