import type { BookAccounts, BookUnmapped } from '@tillgate/client'
import { useApi, type Read } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async } from '../../parts/states.tsx'
import { Foreign } from '../../parts/text.tsx'
import { AccountForm, useNameOf } from './accounts.tsx'
import { targetKey, targetOf } from './mapping.ts'

type Props = { days: Days; accounts: Read<BookAccounts>; mayChange: boolean }

/** Names that would be booked on the suspense account, each with a field for its account. */
export function UnmappedNames({ days, accounts, mayChange }: Props) {
  const { books: t } = useT()
  const format = useFormat()
  const nameOf = useNameOf()
  const read = useApi<BookUnmapped[]>({ path: '/v1/books/unmapped/', query: days })
  const known = accounts.data?.data
  return (
    <Async read={read} rows={2}>
      {(names) =>
        names.length === 0 ? (
          <p data-empty>{t.allMapped}</p>
        ) : (
          <>
            <p className="muted">{t.unmappedText}</p>
            {names
              .map((one) => ({ of: targetOf(one.what, one), amount: one.amount }))
              .map(({ of, amount }) =>
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
    </Async>
  )
}
