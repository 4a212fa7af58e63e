/** Maximum number of listed items, and of listed reasons; the rest is only counted. */
const mostListed = 1_000

const otherReasons = 'for other reasons'

/** Items that were not converted, with their reasons: the first ones are listed, and all are counted by reason. */
export class ReasonTally<T extends { reason: string }> {
  readonly first: T[] = []
  readonly byReason = new Map<string, number>()
  count = 0

  add(one: T): void {
    this.count += 1
    if (this.first.length < mostListed) this.first.push(one)
    const isApart = this.byReason.has(one.reason) || this.byReason.size < mostListed
    const reason = isApart ? one.reason : otherReasons
    this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + 1)
  }
}
