const mib = 1024 * 1024

export type BudgetLimits = {
  /** Maximum bytes of incomplete bodies in the process. */
  process: number
  /** Maximum bytes of incomplete bodies of one key. */
  key: number
}

/** Maximum bytes of incomplete bodies. One key may use half of them: four bodies of the largest size. */
const defaultBudget: BudgetLimits = { process: 64 * mib, key: 32 * mib }

const spent = {
  overloaded: 'the server is receiving too much at once',
  too_much_at_once: 'this key is sending too much at once',
} as const

/** The code says whose limit was reached: `overloaded` for the process, `too_much_at_once` for the key. */
export class BudgetSpent extends Error {
  readonly code: keyof typeof spent

  constructor(code: keyof typeof spent) {
    super(spent[code])
    this.code = code
  }
}

export const isSpentCode = (code: string | undefined): code is BudgetSpent['code'] =>
  code !== undefined && Object.hasOwn(spent, code)

/** Counts the memory of one body. */
export type Share = {
  /** Adds bytes, or subtracts them when negative. Throws `BudgetSpent` if there is no room. */
  hold(bytes: number): void
  /** Subtracts everything that this body holds. */
  close(): void
}

/** Limits the bytes of all incomplete bodies, since their senders decide how long they take. */
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

  /** Begins to count the memory of one body, which a request with this key sends. */
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
