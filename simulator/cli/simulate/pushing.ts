import { setTimeout as delay } from 'node:timers/promises'
import { interleave } from '../../faults.ts'
import type { Occurrence, TillRecord } from '../../simulation.ts'
import { recordsOf, type Scenario, type Site } from './sites.ts'

/** The lines of one location for one request. */
export type Batch = {
  site: Site
  lines: string[]
  /** Simulated time by which the location has advanced. */
  simulatedMs: number
  /** Call it when the request is answered or abandoned. */
  done: () => void
}

export type Pushing = {
  sites: readonly Site[]
  scenario: Scenario
  /** Maximum number of records of a batch. */
  batch: number
  /** Maximum number of batches of one location in flight. */
  perSite: number
}

type SiteOccurrence = Occurrence & { site: Site }

function* occurrencesOf(site: Site, scenario: Scenario): Generator<SiteOccurrence> {
  for (const occurrence of recordsOf(site.restaurant(), scenario, site.expected)) yield { ...occurrence, site }
}

/**
 * Number of locations simulated concurrently: each holds its catalog and the plan of its day, about half a megabyte.
 */
const livesAtOnce = 250

type Life = {
  site: Site
  stream: Iterator<SiteOccurrence>
  /** Taken from the stream but not sent yet. */
  ahead: SiteOccurrence | undefined
  at: number
  underWay: number
  /** Orders with a pending request: a till sends a version of an order when the previous one has arrived. */
  busy: Set<string>
  isOver: boolean
  isIdle: boolean
}

const subjectOf = ({ type, data }: TillRecord): string => (type === 'order' || type === 'report' ? data.id : type)

type Drawn = { lines: string[]; subjects: Set<string>; simulatedMs: number }

/** Takes the next records of the location, up to the first that has to wait for a pending request. */
function draw(life: Life, size: number): Drawn {
  const before = life.at
  const drawn: Drawn = { lines: [], subjects: new Set(), simulatedMs: 0 }
  while (drawn.lines.length < size) {
    const { done, value } = life.ahead ? { value: life.ahead, done: false } : life.stream.next()
    if (done) {
      life.isOver = true
      break
    }
    const { record, at } = value
    const subject = subjectOf(record)
    life.ahead = life.busy.has(subject) ? value : undefined
    if (life.ahead) break
    drawn.lines.push(JSON.stringify(record))
    drawn.subjects.add(subject)
    life.at = Math.max(life.at, at.getTime())
  }
  for (const subject of drawn.subjects) life.busy.add(subject)
  return { ...drawn, simulatedMs: life.at - before }
}

/**
 * Pushes as fast as possible: the locations take turns, and the next records of a location are generated in its turn.
 */
export async function* takeTurns({ sites, scenario, batch, perSite }: Pushing): AsyncGenerator<Batch> {
  const coming = sites.values()
  const idle: Life[] = []
  let lives = 0
  let wake = () => {}
  const rest = (life: Life) => {
    life.isIdle = true
    idle.push(life)
  }
  const admit = () => {
    const { done, value: site } = coming.next()
    if (done) return
    lives += 1
    const fresh = { ahead: undefined, underWay: 0, busy: new Set<string>(), isOver: false, isIdle: true }
    rest({ site, stream: occurrencesOf(site, scenario), at: scenario.from.getTime(), ...fresh })
  }
  while (lives < Math.min(livesAtOnce, sites.length)) admit()
  while (lives > 0) {
    const life = idle.shift()
    if (!life) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    life.isIdle = false
    const { lines, subjects, simulatedMs } = draw(life, batch)
    if (life.isOver) {
      lives -= 1
      admit()
    }
    if (lines.length === 0) continue
    life.underWay += 1
    if (!life.isOver && life.underWay < perSite) rest(life)
    const done = () => {
      life.underWay -= 1
      for (const subject of subjects) life.busy.delete(subject)
      if (!life.isOver && !life.isIdle) rest(life)
      wake()
    }
    yield { site: life.site, lines, simulatedMs, done }
  }
}

/**
 * Pushes in real time: each record is a separate request at its moment, as tills do. All locations run at once here.
 * `speed` is simulated seconds per second; `onBehind` gets the delay of each record.
 */
export async function* keepTime(
  { sites, scenario }: Pushing,
  speed: number,
  signal: AbortSignal,
  onBehind: (ms: number) => void,
): AsyncGenerator<Batch> {
  const began = performance.now()
  const from = scenario.from.getTime()
  let last = from
  for (const { at, record, site } of interleave<SiteOccurrence>(sites.map((site) => occurrencesOf(site, scenario)))) {
    const early = began + (at.getTime() - from) / speed - performance.now()
    if (early > 1) await delay(early, undefined, { signal })
    onBehind(Math.max(-early, 0))
    const simulatedMs = Math.max(at.getTime() - last, 0) * sites.length
    last = Math.max(last, at.getTime())
    yield { site, lines: [JSON.stringify(record)], simulatedMs, done: () => {} }
  }
}
