import type { BookAccountsOwn } from '../schemas/books-accounts.ts'

/** A fault of a mapping, by its JSON Pointer. */
export type AccountFault = { pointer: string; detail: string }

/** Checks the rules of a mapping that its schema cannot express. */
export function accountFaults(own: BookAccountsOwn): AccountFault[] {
  const payments = (own.payments ?? []).flatMap((row, i) =>
    (row.cash === true) === (row.account !== undefined)
      ? [
          {
            pointer: `/payments/${i}`,
            detail: `payments/${i}: must have either account or cash: true, not both`,
          },
        ]
      : [],
  )
  const names = (own.revenue ?? []).flatMap(({ rate, category, serviceType }, i) =>
    rate === undefined && category === undefined && serviceType === undefined
      ? [{ pointer: `/revenue/${i}`, detail: `revenue/${i}: must have a rate, category or service` }]
      : [],
  )
  const kept = (['cash', 'clearing', 'tips', 'suspense', 'discount'] as const).flatMap((name) =>
    own.accounts?.[name] === null
      ? [{ pointer: `/accounts/${name}`, detail: `accounts/${name}: must not be null; omit it` }]
      : [],
  )
  return [...payments, ...names, ...kept]
}
