import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type Options = {
  /** Small sizes and few rounds: shows that a part works, not how fast it is. */
  quick: boolean
  orders: number | undefined
  /** The total number of journal entries of `growth`. */
  entries: number | undefined
  rounds: number | undefined
  /** Where profiled servers write their CPU profiles. */
  profile: string | undefined
  /** The folder of another checkout, which `against` compares with this one. */
  checkout: string | undefined
  /** What to run: numbers of attacks of `abuse`, names of contests of `ingest`, rows of `against`. Empty means all. */
  only: string[]
}

const toCount = (name: string, text: string | undefined) => {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new TypeError(`--${name} must be a whole number above 0, not ${text}`)
  return Number(text)
}

/** Reads the names of parts and the options. Throws a `TypeError` with the fault. */
export function readOptions(args: readonly string[]): { parts: string[]; options: Options } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      orders: { type: 'string' },
      entries: { type: 'string' },
      rounds: { type: 'string' },
      profile: { type: 'string' },
      checkout: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  })
  const { quick, profile, checkout, only } = values
  const orders = toCount('orders', values.orders)
  const entries = toCount('entries', values.entries)
  const rounds = toCount('rounds', values.rounds)
  return {
    parts: positionals,
    options: {
      quick,
      orders,
      entries,
      rounds,
      profile: profile && resolve(profile),
      checkout: checkout && resolve(checkout),
      only: only.split(',').filter(Boolean),
    },
  }
}
