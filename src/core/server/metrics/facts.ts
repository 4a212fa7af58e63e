import { Gauge, type Registry } from 'prom-client'
import { tryWithin } from '../try-within.ts'

/** A scrape waits this long for the database, and then does without. */
const patienceMs = 2_000

export type FactsOptions = {
  /** The shortest time between two reads, for any number of scrapers. */
  refreshMs: number
  /** Facts are told for so long while the database does not answer. */
  staleMs: number
  /** A scrape that finds the facts old does not wait for those that come after them. */
  isSlow?: boolean
}

/** Makes what finds the facts, as fresh as they can be had in time; undefined where they are too old, or were never read. */
export function keepFacts<Facts>(
  read: () => Promise<Facts>,
  onError: (error: unknown) => void,
  { refreshMs, staleMs, isSlow = false }: FactsOptions,
): () => Promise<Facts | undefined> {
  let known: { facts: Facts; atMs: number } | undefined
  let reading: Promise<void> | undefined
  const readAnew = async () => {
    const facts = await read()
    known = { facts, atMs: performance.now() }
  }
  const isWithin = (ms: number) => known !== undefined && performance.now() - known.atMs <= ms
  return async () => {
    if (!isWithin(refreshMs)) {
      reading ??= readAnew()
        .catch(onError)
        .finally(() => (reading = undefined))
      if (!known || !isSlow) await tryWithin(patienceMs, reading)
    }
    return isWithin(staleMs) ? known?.facts : undefined
  }
}

/** Makes what registers a gauge of facts; it is left out while they, or its value, are not known. */
export const gaugesOf =
  <Facts>(registry: Registry, find: () => Promise<Facts | undefined>) =>
  (name: string, help: string, read: (facts: Facts) => number | undefined): void => {
    void new Gauge({
      name,
      help,
      labelNames: [],
      registers: [registry],
      async collect() {
        const facts = await find()
        const value = facts && read(facts)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  }
