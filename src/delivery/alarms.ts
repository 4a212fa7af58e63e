/** Keeps the timers that wake the engine, one per location: the earliest. They do not keep the process alive. */
export class Alarms {
  readonly #ring: (locationId: string) => void
  readonly #set = new Map<string, { atMs: number; timer: NodeJS.Timeout }>()

  constructor(ring: (locationId: string) => void) {
    this.#ring = ring
  }

  set(locationId: string, inMs: number): void {
    const atMs = performance.now() + inMs
    const set = this.#set.get(locationId)
    if (set !== undefined && set.atMs <= atMs) return
    clearTimeout(set?.timer)
    const ring = () => {
      this.#set.delete(locationId)
      this.#ring(locationId)
    }
    this.#set.set(locationId, { atMs, timer: setTimeout(ring, inMs).unref() })
  }

  clear(): void {
    for (const { timer } of this.#set.values()) clearTimeout(timer)
    this.#set.clear()
  }
}
