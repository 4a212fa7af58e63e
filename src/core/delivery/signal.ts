/** A wake-up that is not lost if it comes before the wait. Call `close` after the last wait. */
export class Signal {
  #raised = false
  #resolve: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the timer ends, by the monotonic clock. */
  #timerAtMs = Infinity

  /**
   * Raises the signal after this many milliseconds, or earlier: an existing timer that ends first is kept. Waking up
   * early costs one check, less than a new timer for each wait.
   */
  raiseWithin(ms: number): void {
    const atMs = performance.now() + ms
    if (this.#timerAtMs <= atMs) return
    clearTimeout(this.#timer)
    this.#timerAtMs = atMs
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Infinity
      this.raise()
    }, ms)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timerAtMs = Infinity
  }

  raise(): void {
    this.#raised = true
    this.#resolve?.()
  }

  async wait(): Promise<void> {
    if (!this.#raised) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve
      })
    }
    this.#raised = false
    this.#resolve = undefined
  }
}
