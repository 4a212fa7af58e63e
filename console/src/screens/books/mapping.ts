import type { BookAccounts, BookAccountsOwn } from '@tillgate/client'

/** The target of an account: a payment name, a rate, a kind of sales, a drawer entry, or a named account. */
export type Target = {
  what: 'payment' | 'tax' | 'revenue' | 'entry' | 'account'
  name?: string
  rate?: number
  category?: string
  serviceType?: string
  entryType?: string
}

type Row = { of: Target; account: string | null; accountName: string; isOwn: boolean }

/** Removes what does not distinguish names of payments: case, accents and surrounding spaces. */
const folded = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()

export const targetKey = ({ what, name = '', rate, category, serviceType, entryType }: Target): string =>
  JSON.stringify([what, folded(name), rate, category, serviceType, entryType])

type Given = { account?: string; accountName?: string; cash?: boolean }

type Part = 'payments' | 'revenue' | 'tax' | 'entries'

const whatOf = { payments: 'payment', revenue: 'revenue', tax: 'tax', entries: 'entry' } as const

export const targetOf = (
  what: Target['what'],
  { name, rate, category, serviceType, entryType }: Partial<Target>,
): Target => ({
  what,
  ...(name === undefined ? {} : { name }),
  ...(rate === undefined ? {} : { rate }),
  ...(category === undefined ? {} : { category }),
  ...(serviceType === undefined ? {} : { serviceType }),
  ...(entryType === undefined ? {} : { entryType }),
})

const listOf = (own: BookAccountsOwn, part: Part) => (own[part] ?? []) as (Partial<Target> & Given)[]

/** Returns every account in force, as the API returns it: settings override the defaults. */
export function rowsOf({ own, effective }: BookAccounts): Row[] {
  const cash = effective.accounts.cash
  const lists = (Object.keys(whatOf) as Part[]).flatMap((part) => {
    const set = new Set(listOf(own, part).map((row) => targetKey(targetOf(whatOf[part], row))))
    return listOf(effective, part).map((row): Row => {
      const of = targetOf(whatOf[part], row)
      const { account, accountName } = row.cash === true ? (cash ?? row) : row
      return { of, account: account ?? null, accountName: accountName ?? '', isOwn: set.has(targetKey(of)) }
    })
  })
  const named = Object.entries(effective.accounts).map(([name, given]): Row => ({
    of: { what: 'account', name },
    account: given?.account ?? null,
    accountName: given?.accountName ?? '',
    isOwn: own.accounts !== undefined && name in own.accounts,
  }))
  return [...lists, ...named]
}

/** Returns the accounts with one more row, or another account in an existing row. */
export function withAccount(own: BookAccountsOwn, of: Target, account: string): BookAccountsOwn {
  const { what, ...keys } = of
  if (what === 'account') return { ...own, accounts: { ...own.accounts, [of.name as string]: { account } } }
  const part = (Object.keys(whatOf) as Part[]).find((name) => whatOf[name] === what) as Part
  const others = listOf(own, part).filter((row) => targetKey(targetOf(what, row)) !== targetKey(of))
  return { ...own, [part]: [...others, { ...keys, account }] }
}
