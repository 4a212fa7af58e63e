import { useState, type FormEvent } from 'react'
import type { BookAccounts, BookAccountsOwn, BookUnmapped } from '@tillgate/client'
import { useAct, useApi } from '../../api/use-api.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Field, formClass } from '../../parts/filters.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async, Failure } from '../../parts/states.tsx'
import { Foreign } from '../../parts/text.tsx'

const nameOf = ({ name, rate, category, entryType }: BookUnmapped): string =>
  name ?? entryType ?? [rate === undefined ? '' : `${rate / 100} %`, category ?? ''].join(' ').trim()

/** The accounts with one more row for a name. */
function withAccount(
  own: BookAccountsOwn,
  { what, name, rate, category, entryType }: BookUnmapped,
  account: string,
): BookAccountsOwn {
  const rated = rate === undefined ? {} : { rate }
  if (what === 'payment') return { ...own, payments: [...(own.payments ?? []), { name: name ?? '', account }] }
  if (what === 'tax') return { ...own, tax: [...(own.tax ?? []), { rate: rate ?? 0, account }] }
  if (what === 'entry') return { ...own, entries: [...(own.entries ?? []), { entryType: entryType ?? '', account }] }
  return {
    ...own,
    revenue: [...(own.revenue ?? []), { ...rated, ...(category === undefined ? {} : { category }), account }],
  }
}

function AccountForm({ of, accounts }: { of: BookUnmapped; accounts: BookAccounts }) {
  const { books: t } = useT()
  const format = useFormat()
  const [account, setAccount] = useState('')
  const act = useAct<BookAccounts, string>((number) => ({
    path: '/v1/books/accounts',
    method: 'PUT',
    ifMatch: `"${accounts.version}"`,
    body: withAccount(accounts.own, of, number),
  }))
  const save = (event: FormEvent) => {
    event.preventDefault()
    void act.mutateAsync(account.trim()).catch(() => undefined)
  }
  return (
    <form className={formClass} style={{ maxInlineSize: '30rem' }} onSubmit={save}>
      <Field label={t.account(nameOf(of))} hint={`${t.what[of.what]} · ${format.money(of.amount)}`}>
        <input value={account} inputMode="numeric" onChange={({ target }) => setAccount(target.value)} />
      </Field>
      <Button type="submit" disabled={act.isPending || account.trim() === ''}>
        {t.save}
      </Button>
      {act.error !== null && <Failure problem={act.error} retry={() => act.reset()} />}
    </form>
  )
}

/** Names that would be booked on the suspense account, each with a field for its account. */
export function UnmappedNames({ days, mayChange }: { days: Days; mayChange: boolean }) {
  const { books: t } = useT()
  const format = useFormat()
  const read = useApi<BookUnmapped[]>({ path: '/v1/books/unmapped/', query: days })
  const accounts = useApi<BookAccounts>({ path: '/v1/books/accounts' })
  const known = accounts.data?.data
  return (
    <Async read={read} rows={2}>
      {(names) =>
        names.length === 0 ? (
          <p data-empty>{t.allMapped}</p>
        ) : (
          <>
            <p className="muted">{t.unmappedText}</p>
            {names.map((one) =>
              mayChange && known !== undefined ? (
                <AccountForm key={JSON.stringify([one.what, nameOf(one)])} of={one} accounts={known} />
              ) : (
                <p key={JSON.stringify([one.what, nameOf(one)])}>
                  {t.what[one.what]} <Foreign text={nameOf(one)} /> {format.money(one.amount)}
                </p>
              ),
            )}
          </>
        )
      }
    </Async>
  )
}
