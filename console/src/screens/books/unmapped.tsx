import type { BookAccounts, BookHindrance } from '@tillgate/client'
import { useApi, type Read } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async } from '../../parts/states.tsx'
import { Foreign } from '../../parts/text.tsx'
import { AccountForm, useNameOf } from './accounts.tsx'
import { NotBookable } from './hindrances.tsx'
import { targetKey, targetOf, type Target } from './mapping.ts'

type Props = { days: Days; accounts: Read<BookAccounts>; mayChange: boolean }

type Name = { of: Target; amount: number }

/** Parts what stands in the way into names and sources: `what` says which of the optional members there are. */
function parted(hindrances: readonly BookHindrance[]) {
  const names: Name[] = []
  const refused: { id: string; date: string; pieceRef: string }[] = []
  for (const { what, id = '', date = '', pieceRef = '', ...one } of hindrances) {
    if (what === 'source') refused.push({ id, date, pieceRef })
    else names.push({ of: targetOf(what, one), amount: one.amount })
  }
  return { names, refused }
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

/** What stands in the way of a batch: names without an account, and what cannot be booked, whose names nobody looked up yet. */
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
              <p data-empty>{refused.length === 0 ? t.allMapped : t.bookableMapped}</p>
            ) : (
              <Names names={names} accounts={accounts} mayChange={mayChange} />
            )}
            <NotBookable refused={refused} />
          </>
        )
      }}
    </Async>
  )
}
