import { Gauge, type Registry } from 'prom-client'
import { tryWithin } from '../try-within.ts'

/** Milliseconds that a scrape waits for the database before it continues without it. */
const patienceMs = 2_000

export type FactsOptions = {
  /** Minimum time between two reads, for any number of scrapers. */
  refreshMs: number
  /** Milliseconds for which facts are reported while the database does not answer. */
  staleMs: number
  /** A scrape that finds old facts does not wait for new ones. */
  isSlow?: boolean
}

/** Makes a function that returns the facts, as fresh as they can be read in time; undefined if they are too old, or were never read. */
export function keepFacts<Facts>(
  read: () => Promise<Facts>,
  onError: (error: unknown) => void,
  { refreshMs, staleMs, isSlow = false }: FactsOptions,
): () => Promise<Facts | undefined> {
  let known: { facts: Facts; atMs: number } | undefined
  let reading: Promise<void> | undefined
  const readAgain = async () => {
    const facts = await read()
    known = { facts, atMs: performance.now() }
  }
  const isWithin = (ms: number) => known !== undefined && performance.now() - known.atMs <= ms
  return async () => {
    if (!isWithin(refreshMs)) {
      reading ??= readAgain()
        .catch(onError)
        .finally(() => (reading = undefined))
      if (!known || !isSlow) await tryWithin(patienceMs, reading)
    }
    return isWithin(staleMs) ? known?.facts : undefined
  }
}

/** Makes a function that registers a gauge of facts; the gauge is left out while its value is unknown. */
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
