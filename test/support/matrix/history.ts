/**
 * Decides whether each response was correct when it was given. An order is a register that takes its highest version,
 * so this can be decided exactly, without guessing in which order overlapping calls took effect. Times are of one
 * clock, in milliseconds.
 */

/**
 * A pushed version of an order: `end` and `sequence` are null without a response, `sequence` also if nothing was
 * written.
 */
export type Push = {
  locationId: string
  id: string
  v: number
  begin: number
  end: number | null
  sequence: number | null
}

/**
 * The content of a response: versions by order, 0 for an absent one. `seq` is `Tillgate-Sequence`, `least` the
 * requested `Tillgate-Min-Sequence`. `isAll` means that every order of the location is in it.
 */
export type Look = {
  locationId: string
  what: 'order' | 'list' | 'feed' | 'delivery'
  begin: number
  end: number
  seq: number | null
  least: number | null
  isAll: boolean
  versions: readonly { id: string; v: number }[]
}

/** A client sent a number, and the server answered that it is lost or does not exist. */
export type Refusal = { locationId: string; begin: number; end: number; least: number }

/** The sequences of the versions of an order in the journal, ascending. */
export type Written = ReadonlyMap<string, readonly { v: number; seq: number }[]>

/**
 * The state of a journal between two times, called a timeline: a restore ends one and begins another, which shares the
 * entries before the place where it continues. `numbers` are the assigned sequences. A response at the time of a change
 * may belong to either timeline.
 */
export type Timeline = { from: number; to: number; numbers: ReadonlySet<number>; written: Written }

/** The timelines of each journal in order; without restores a single, unlimited one. */
export type History = {
  pushes: readonly Push[]
  looks: readonly Look[]
  refusals: readonly Refusal[]
  timelines: ReadonlyMap<string, readonly Timeline[]>
}

/** The highest version or sequence known at a time. */
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

/** Returns the latest version of an order that the journal has at this sequence; 0 if it has none. */
const versionAt = (written: Written, id: string, seq: number): number =>
  written.get(id)?.findLast((one) => one.seq <= seq)?.v ?? 0

/** A version that a client knew from `end` on; `begin` is when it was requested, or -Infinity if unknown. */
type Known = { id: string; v: number; begin: number; end: number }

/**
 * Returns the known versions of each order for a timeline: those that it contains, and those seen while no other was
 * active.
 */
function knownOf(timelines: readonly Timeline[], i: number, seen: readonly Known[]): Map<string, Highest> {
  const { written } = timelines[i] as Timeline
  const alone = { from: timelines[i - 1]?.to ?? -Infinity, to: timelines[i + 1]?.from ?? Infinity }
  const known = new Map<string, Highest>()
  for (const { id, v, begin, end } of seen) {
    const isOfTimeline = begin >= alone.from && end <= alone.to
    if (isOfTimeline || written.get(id)?.some((one) => one.v === v)) get(known, id).add(end, v)
  }
  return known
}

/** Yields the faults of a response, compared with one timeline of the journal. */
function* checkLook(look: Look, timeline: Timeline, known: Map<string, Highest>): Generator<string> {
  const { what, begin, seq, least, versions } = look
  if (what !== 'order' && what !== 'list') return
  for (const { id, v } of versions) {
    const atLeast = get(known, id).before(begin)
    if (v < atLeast) yield `7: a ${what} showed version ${v} of ${id}, and ${atLeast} was known before the request`
  }
  if (seq) {
    if (!timeline.numbers.has(seq)) yield `7: a ${what} named ${seq}, which the journal never gave out`
    for (const { id, v } of versions) {
      const there = versionAt(timeline.written, id, seq)
      if (v < there) yield `7: a ${what} named ${seq} and showed version ${v} of ${id}, which is ${there} there`
    }
  }
  if (least && !timeline.numbers.has(least)) yield `7: a ${what} was shown for ${least}, which is gone, without a word`
  if (look.isAll) yield* checkCut(look, timeline.written)
}

/** Checks that a page is a consistent cut: it has everything up to a sequence, and nothing after it. */
function* checkCut({ what, versions }: Look, written: Written): Generator<string> {
  const shown = new Map(versions.map(({ id, v }) => [id, v]))
  let newest = 0
  let next = Infinity
  for (const [id, entries] of written) {
    const v = shown.get(id) ?? 0
    newest = Math.max(newest, entries.find((one) => one.v === v)?.seq ?? 0)
    next = Math.min(next, entries.find((one) => one.v > v)?.seq ?? Infinity)
  }
  if (newest >= next) yield `7: a ${what} is not a cut through the journal: it has ${newest}, and not ${next}`
}

const isDuring = ({ from, to }: Timeline, begin: number, end: number) => from <= end && begin <= to

/** Returns no faults if the response matches one of its possible timelines; otherwise the faults of the last one. */
function faultsOfBest(timelines: readonly Timeline[], check: (one: Timeline) => Generator<string>): string[] {
  let faults: string[] = []
  for (const timeline of timelines) {
    faults = [...check(timeline)]
    if (faults.length === 0) return faults
  }
  return faults
}

function* checkLocation(
  looks: readonly Look[],
  refusals: readonly Refusal[],
  pushes: readonly Push[],
  timelines: readonly Timeline[],
) {
  const seen: Known[] = [
    ...pushes.flatMap(({ id, v, begin, end }) => (end === null ? [] : [{ id, v, begin, end }])),
    // It is unknown when the server read the data that it delivered.
    ...looks.flatMap(({ what, begin, end, versions }) =>
      versions.map((one) => ({ ...one, begin: what === 'delivery' ? -Infinity : begin, end })),
    ),
  ]
  const known = new Map(timelines.map((timeline, i) => [timeline, knownOf(timelines, i, seen)]))
  for (const look of looks) {
    const possible = timelines.filter((timeline) => isDuring(timeline, look.begin, look.end))
    yield* faultsOfBest(possible, (timeline) => checkLook(look, timeline, known.get(timeline) ?? new Map()))
  }
  for (const { begin, end, least } of refusals) {
    const possible = timelines.filter((timeline) => isDuring(timeline, begin, end))
    if (possible.length > 0 && possible.every(({ numbers }) => numbers.has(least)))
      yield `7: ${least} is refused as gone, and it is there`
  }
}

/** Checks that responses show only pushed versions, and that sequences grow, in all timelines of a journal together. */
function* checkNumbers(looks: readonly Look[], pushes: readonly Push[]): Generator<string> {
  const numbers = new Highest()
  const begun = new Map<string, Map<number, number>>()
  for (const { id, v, begin, end, sequence } of pushes) {
    const own = begun.get(id) ?? new Map<number, number>()
    begun.set(id, own.set(v, Math.min(begin, own.get(v) ?? Infinity)))
    if (end !== null && sequence !== null) numbers.add(end, sequence)
  }
  for (const { end, seq } of looks) if (seq !== null) numbers.add(end, seq)
  for (const { id, v, begin, sequence } of pushes) {
    const before = numbers.before(begin)
    if (sequence !== null && sequence <= before)
      yield `7: version ${v} of ${id} got ${sequence}, and ${before} was known before it was pushed`
  }
  for (const { what, end, seq, least, versions } of looks) {
    for (const { id, v } of versions) {
      if (v > 0 && (begun.get(id)?.get(v) ?? Infinity) > end)
        yield `7: a ${what} showed version ${v} of ${id}, which nobody had begun to push`
    }
    if (least !== null && seq !== null && seq < least)
      yield `7: a ${what} named ${seq} where at least ${least} was requested`
  }
}

/**
 * Checks rule 7: no response contains less than was known before its request, or more than had been pushed; a page is a
 * consistent cut; sequences are correct. After a restore, a response is compared with the timeline of its time; entries
 * of former timelines only count if the journal still has them. A push gets a higher sequence than any timeline has.
 */
export function* historyHolds({ pushes, looks, refusals, timelines }: History): Generator<string> {
  const places = new Set([...pushes, ...looks].map(({ locationId }) => locationId))
  for (const place of places) {
    const own = <T extends { locationId: string }>(all: readonly T[]) => all.filter((one) => one.locationId === place)
    yield* checkNumbers(own(looks), own(pushes))
    yield* checkLocation(own(looks), own(refusals), own(pushes), timelines.get(place) ?? [])
  }
}
