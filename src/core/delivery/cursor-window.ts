import type { Entry } from '../domain/journal/messages.ts'

type Open = { entry: Entry; left: number }

/**
 * The part of the journal that a session has read and not finished. Its cursor is the sequence of the last entry up to
 * which every event is delivered or stored for a retry.
 */
export class CursorWindow {
  #cursor: number
  /** Unfinished entries by sequence, ascending. A map would keep the slots of removed entries until it grows again. */
  readonly #open: Open[] = []

  constructor(cursor: number) {
    this.#cursor = cursor
  }

  get cursor(): number {
    return this.#cursor
  }

  /** Adds an entry, in journal order. `events` is the number of its events that the webhook receives. */
  enter(entry: Entry, events: number): void {
    this.#open.push({ entry, left: events })
    this.#advance()
  }

  entry(seq: number): Entry | undefined {
    return this.#find(seq)?.entry
  }

  /** Records that one event of the entry is delivered or stored for a retry. */
  pass(seq: number): void {
    const open = this.#find(seq)
    if (!open) return
    open.left -= 1
    if (open.left === 0) this.#advance()
  }

  #advance(): void {
    for (let first = this.#open[0]; first?.left === 0; first = this.#open[0]) {
      this.#cursor = first.entry.seq
      this.#open.shift()
    }
  }

  #find(seq: number): Open | undefined {
    let [from, to] = [0, this.#open.length]
    while (from < to) {
      const at = (from + to) >> 1
      if ((this.#open[at] as Open).entry.seq < seq) from = at + 1
      else to = at
    }
    const open = this.#open[from]
    return open?.entry.seq === seq ? open : undefined
  }
}
