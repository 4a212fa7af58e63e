import type { Entry } from '../domain/messages.ts'

type Open = { entry: Entry; left: number }

/**
 * Keeps the part of the journal that a session has read and not finished. Its cursor is the number of the last entry before
 * which nothing is left to do: every event of it, and of all entries before, is delivered or set aside.
 */
export class CursorWindow {
  #cursor: number
  readonly #open = new Map<number, Open>()

  constructor(cursor: number) {
    this.#cursor = cursor
  }

  get cursor(): number {
    return this.#cursor
  }

  /** Entries come in journal order. `events` is the number of its events that the webhook receives. */
  enter(entry: Entry, events: number): void {
    this.#open.set(entry.seq, { entry, left: events })
    this.#advance()
  }

  entry(seq: number): Entry | undefined {
    return this.#open.get(seq)?.entry
  }

  /** One event of the entry is delivered or set aside. */
  pass(seq: number): void {
    const open = this.#open.get(seq)
    if (!open) return
    open.left -= 1
    if (open.left === 0) this.#advance()
  }

  #advance(): void {
    for (const [seq, { left }] of this.#open) {
      if (left > 0) return
      this.#cursor = seq
      this.#open.delete(seq)
    }
  }
}
