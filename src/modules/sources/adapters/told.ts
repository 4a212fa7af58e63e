/** At most this many of a kind, and this many reasons, are listed; the rest is counted. */
const mostTold = 1_000

const otherReasons = 'for other reasons'

/** What became no record, with the reason: the first of them one by one, all of them by their reasons. */
export class Told<T extends { reason: string }> {
  readonly first: T[] = []
  readonly byReason = new Map<string, number>()
  count = 0

  add(one: T): void {
    this.count += 1
    if (this.first.length < mostTold) this.first.push(one)
    const isApart = this.byReason.has(one.reason) || this.byReason.size < mostTold
    const reason = isApart ? one.reason : otherReasons
    this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + 1)
  }
}
