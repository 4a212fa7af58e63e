/** Times are rounded up to a multiple of this many milliseconds, so that repeated requests share a timer. */
const stepMs = 10

/** Keeps the timers that wake the engine, one for each location and moment. They do not keep the process alive. */
export class Alarms {
  readonly #ring: (locationId: string) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(ring: (locationId: string) => void) {
    this.#ring = ring
  }

  set(locationId: string, inMs: number): void {
    const nowMs = performance.now()
    const atMs = Math.ceil((nowMs + inMs) / stepMs) * stepMs
    const key = `${locationId} ${atMs}`
    if (this.#timers.has(key)) return
    const ring = () => {
      this.#timers.delete(key)
      this.#ring(locationId)
    }
    this.#timers.set(key, setTimeout(ring, atMs - nowMs).unref())
  }

  clear(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}
