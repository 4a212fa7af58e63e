import type { BookAccounts, BookHindrance } from '@tillgate/client'
import { useApi, type Read } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async } from '../../parts/states.tsx'
import { Foreign } from '../../parts/text.tsx'
import { AccountForm, useNameOf } from './accounts.tsx'
import { targetKey, targetOf, type Target } from './mapping.ts'

type Props = { days: Days; accounts: Read<BookAccounts>; mayChange: boolean }

type Name = { of: Target; amount: number }

/** Splits hindrances into names, and the number of sources that cannot be booked. */
function parted(hindrances: readonly BookHindrance[]) {
  const names = hindrances.flatMap(({ what, amount, ...one }): Name[] =>
    what === 'source' ? [] : [{ of: targetOf(what, one), amount }],
  )
  return { names, refused: hindrances.length - names.length }
}

/** Names that would be booked on the suspense account, each with a field for its account. */
function Names({ names, accounts, mayChange }: { names: readonly Name[] } & Omit<Props, 'days'>) {
  const { books: t } = useT()
  const format = useFormat()
  const nameOf = useNameOf()
  const known = accounts.data?.data
  return (
    <>
      <p className="muted">{t.unmappedText}</p>
      {names.map(({ of, amount }) =>
        mayChange && known !== undefined ? (
          <AccountForm
            key={targetKey(of)}
            of={of}
            hint={`${t.what[of.what]} · ${format.money(amount)}`}
            accounts={known}
          />
        ) : (
          <p key={targetKey(of)}>
            {t.what[of.what]} <Foreign text={nameOf(of)} /> {format.money(amount)}
          </p>
        ),
      )}
    </>
  )
}

/** What prevents a batch: names without an account, and sources that cannot be booked for other reasons. */
export function UnmappedNames({ days, accounts, mayChange }: Props) {
  const { books: t } = useT()
  const read = useApi<BookHindrance[]>({ path: '/v1/books/unmapped/', query: days })
  return (
    <Async read={read} rows={2}>
      {(hindrances) => {
        const { names, refused } = parted(hindrances)
        return (
          <>
            {names.length === 0 ? (
              <p data-empty>{t.allMapped(refused === 0)}</p>
            ) : (
              <Names names={names} accounts={accounts} mayChange={mayChange} />
            )}
            {refused > 0 && <p className="muted">{t.notLookedUp(refused)}</p>}
          </>
        )
      }}
    </Async>
  )
}
