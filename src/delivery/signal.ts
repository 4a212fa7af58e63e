/** Gives a wake-up that is not lost when it comes before the wait. */
export class Signal {
  #raised = false
  #resolve: (() => void) | undefined

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
