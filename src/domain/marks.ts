/** What an entry of kind `resumed` says: the numbers between `after` and its own were never given, or are given up. */
type Resumed = {
  /** The last entry before it. */
  after: number
  reason: string
}

/** The number before the jump of a `resumed` entry; undefined for every other, and where its document cannot be read. */
export function jumpedOver({ kind, document }: { kind: string; document: string }): number | undefined {
  if (kind !== 'resumed') return undefined
  try {
    return (JSON.parse(document) as Resumed).after
  } catch {
    return undefined
  }
}
