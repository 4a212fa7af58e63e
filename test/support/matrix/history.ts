/**
 * Whether each answer was true when it was given. An order is a register that takes its highest version, so that can be decided exactly:
 * nobody needs to guess in which order calls that overlapped took effect. Times are of one clock, in milliseconds.
 */

/** A version of an order on its way: `end` and `sequence` are null where no answer came, and `sequence` where nothing was written. */
export type Push = {
  locationId: string
  id: string
  v: number
  begin: number
  end: number | null
  sequence: number | null
}

/**
 * What somebody was shown: versions by order, 0 for one that was not there. `told` is `Tillgate-Sequence`, `least` the
 * `Tillgate-Min-Sequence` that was asked for. `isAll` says that every order of the location is in it.
 */
export type Look = {
  locationId: string
  what: 'order' | 'list' | 'feed' | 'delivery'
  begin: number
  end: number
  told: number | null
  least: number | null
  isAll: boolean
  versions: readonly { id: string; v: number }[]
}

/** The numbers under which versions of an order stand in the journal, ascending. */
export type Written = ReadonlyMap<string, readonly { v: number; seq: number }[]>

export type History = { pushes: readonly Push[]; looks: readonly Look[]; journals: ReadonlyMap<string, Written> }

/** The highest of what was known at a time. */
class Highest {
  readonly #known: [at: number, value: number][] = []
  #isSorted = false

  add(at: number, value: number): void {
    this.#known.push([at, value])
    this.#isSorted = false
  }

  before(time: number): number {
    if (!this.#isSorted) {
      this.#known.sort(([a], [b]) => a - b)
      let highest = 0
      for (const one of this.#known) one[1] = highest = Math.max(highest, one[1])
      this.#isSorted = true
    }
    let [low, high] = [0, this.#known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#known[middle]?.[0] ?? 0) < time) low = middle + 1
      else high = middle
    }
    return this.#known[low - 1]?.[1] ?? 0
  }
}

const get = (of: Map<string, Highest>, key: string): Highest => {
  let found = of.get(key)
  if (!found) of.set(key, (found = new Highest()))
  return found
}

/** The version of an order that stands in the journal up to a number; 0 for none. */
const versionAt = (written: Written, id: string, seq: number): number =>
  written.get(id)?.findLast((one) => one.seq <= seq)?.v ?? 0

function* checkLook(look: Look, known: Map<string, Highest>, begun: Map<string, [v: number, at: number][]>) {
  const { locationId, what, begin, end, told, least, versions } = look
  for (const { id, v } of versions) {
    const least = get(known, `${locationId} ${id}`).before(begin)
    // Deliveries and the feed repeat what was; only what asks for the present state must have all that was known.
    if ((what === 'order' || what === 'list') && v < least)
      yield `7: a ${what} showed version ${v} of ${id}, and ${least} was known before it was asked for`
    const at = begun.get(`${locationId} ${id}`)?.find((one) => one[0] === v)?.[1]
    if (v > 0 && (at === undefined || at > end))
      yield `7: a ${what} showed version ${v} of ${id}, which nobody had begun to push`
  }
  if (least !== null && told !== null && told < least)
    yield `7: a ${what} told ${told} where at least ${least} was asked for`
}

function* checkPlace({ what, told, versions, isAll }: Look, written: Written) {
  const shown = new Map(versions.map(({ id, v }) => [id, v]))
  if (told !== null) {
    for (const [id, v] of shown) {
      const there = versionAt(written, id, told)
      if (v < there) yield `7: a ${what} told ${told} and showed version ${v} of ${id}, which is ${there} there`
    }
  }
  if (!isAll) return
  // One cut: a number up to which all is shown, and nothing beyond it.
  let newest = 0
  let next = Infinity
  for (const [id, entries] of written) {
    const v = shown.get(id) ?? 0
    newest = Math.max(newest, entries.find((one) => one.v === v)?.seq ?? 0)
    next = Math.min(next, entries.find((one) => one.v > v)?.seq ?? Infinity)
  }
  if (newest >= next) yield `7: a ${what} is no cut through the journal: it has ${newest}, and not ${next}`
}

/** 7: no answer shows less than was known before it was asked for, or what nobody had begun; a page is one cut; numbers never lie. */
export function* historyHolds({ pushes, looks, journals }: History): Generator<string> {
  const known = new Map<string, Highest>()
  const numbers = new Map<string, Highest>()
  const begun = new Map<string, [v: number, at: number][]>()
  for (const { locationId, id, v, begin, end, sequence } of pushes) {
    const key = `${locationId} ${id}`
    begun.set(key, [...(begun.get(key) ?? []), [v, begin]])
    if (end !== null) get(known, key).add(end, v)
    if (end !== null && sequence !== null) get(numbers, locationId).add(end, sequence)
  }
  for (const { locationId, end, told, versions } of looks) {
    for (const { id, v } of versions) get(known, `${locationId} ${id}`).add(end, v)
    if (told !== null) get(numbers, locationId).add(end, told)
  }
  for (const { locationId, id, v, begin, sequence } of pushes) {
    const before = get(numbers, locationId).before(begin)
    if (sequence !== null && sequence <= before)
      yield `7: version ${v} of ${id} got ${sequence}, and ${before} was known before it was pushed`
  }
  for (const look of looks) {
    yield* checkLook(look, known, begun)
    const written = journals.get(look.locationId)
    if (written && (look.what === 'order' || look.what === 'list')) yield* checkPlace(look, written)
  }
}
