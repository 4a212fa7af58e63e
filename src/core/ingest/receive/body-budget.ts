const mib = 1024 * 1024

export type BudgetLimits = {
  /** Bytes that incomplete bodies may use in the process. */
  process: number
  /** The same for the bodies of one key. */
  key: number
}

/** Half of the process for one key: four bodies of the largest size at once. */
const defaultBudget: BudgetLimits = { process: 64 * mib, key: 32 * mib }

const spent = {
  overloaded: 'the server is receiving too much at once',
  too_much_at_once: 'this key is sending too much at once',
} as const

/** The code says whose limit was reached: `overloaded` the process's, `too_much_at_once` the key's. */
export class BudgetSpent extends Error {
  readonly code: keyof typeof spent

  constructor(code: keyof typeof spent) {
    super(spent[code])
    this.code = code
  }
}

export const isSpentCode = (code: string | undefined): code is BudgetSpent['code'] =>
  code !== undefined && Object.hasOwn(spent, code)

/** Counts the memory that one body uses. */
export type Share = {
  /** Counts bytes in, or out when negative. Throws `BudgetSpent` when they would be too many. */
  hold(bytes: number): void
  /** Counts everything of this body out. */
  close(): void
}

/**
 * Counts the bytes of all incomplete bodies. Their senders decide how long they take, so their total is limited
 * (docs/inside/12-limits.md).
 */
export class BodyBudget {
  readonly #limits: BudgetLimits
  readonly #byKey = new Map<string, number>()
  #held = 0

  constructor(limits: BudgetLimits = defaultBudget) {
    this.#limits = limits
  }

  get held(): number {
    return this.#held
  }

  /** A share for one body of the key. */
  open(keyId: string): Share {
    let mine = 0
    const count = (bytes: number) => {
      const ofKey = (this.#byKey.get(keyId) ?? 0) + bytes
      if (ofKey > 0) this.#byKey.set(keyId, ofKey)
      else this.#byKey.delete(keyId)
      this.#held += bytes
      mine += bytes
    }
    return {
      hold: (bytes) => {
        if (bytes > 0 && (this.#byKey.get(keyId) ?? 0) + bytes > this.#limits.key)
          throw new BudgetSpent('too_much_at_once')
        if (bytes > 0 && this.#held + bytes > this.#limits.process) throw new BudgetSpent('overloaded')
        count(bytes)
      },
      close: () => count(-mine),
    }
  }
}
