import { useState, type FormEvent } from 'react'
import type { BookAccounts, BookAccountsOwn } from '@tillgate/client'
import { useAct, type Read } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { checkClass, choicesClass, Field, formClass, singleClass } from '../../parts/filters.tsx'
import { Notice } from '../../parts/page.tsx'
import { Async, Failure } from '../../parts/states.tsx'
import { textColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'
import { entryName } from '../../parts/words.ts'
import { rowsOf, targetKey, withAccount, type Target } from './mapping.ts'

/** Stores the accounts as the next version of those that were read. */
const useSetAccounts = <T,>(accounts: BookAccounts, toOwn: (given: T) => BookAccountsOwn) =>
  useAct<BookAccounts, T>((given) => ({
    path: '/v1/books/accounts',
    method: 'PUT',
    ifMatch: `"${accounts.version}"`,
    body: toOwn(given),
  }))

export function useNameOf(): (target: Target) => string {
  const texts = useT()
  const { books: t } = texts
  const format = useFormat()
  return ({ what, name, rate, category, serviceType, entryType }) => {
    if (what === 'account') return t.accountOf[name as keyof typeof t.accountOf]
    if (entryType !== undefined) return entryName(texts, entryType)
    const rated = rate === undefined ? '' : format.percent(rate / 10_000)
    return name ?? [rated, category ?? '', serviceType ?? ''].filter((part) => part !== '').join(' ')
  }
}

const fieldIn = (element: Element | null) =>
  element instanceof HTMLFormElement ? element.querySelector('input') : null

type FormProps = { of: Target; hint: string; accounts: BookAccounts; onDone?: () => void }

/** Sets the account of one row. A row of a list then disappears, so the focus moves to the next field. */
export function AccountForm({ of, hint, accounts, onDone }: FormProps) {
  const { books: t, common } = useT()
  const nameOf = useNameOf()
  const [account, setAccount] = useState('')
  const act = useSetAccounts<string>(accounts, (number) => withAccount(accounts.own, of, number))
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { nextElementSibling, previousElementSibling } = event.currentTarget
    const next = fieldIn(nextElementSibling) ?? fieldIn(previousElementSibling)
    void act.mutateAsync(account.trim()).then(
      () => (next === null ? onDone?.() : next.focus()),
      () => undefined,
    )
  }
  return (
    <form className={singleClass} onSubmit={save}>
      <Field label={t.account(nameOf(of))} hint={hint}>
        <input
          value={account}
          inputMode="numeric"
          pattern="\s*[0-9]{3}[0-9A-Za-z]{0,17}\s*"
          title={t.accountForm}
          onChange={({ target }) => setAccount(target.value)}
        />
      </Field>
      <Button type="submit" disabled={act.isPending || account.trim() === ''}>
        {common.save}
      </Button>
      {act.error !== null && <Failure problem={act.error} retry={() => act.reset()} />}
    </form>
  )
}

const choices = {
  layout: ['direct', 'clearing'],
  revenueBy: ['rate', 'category', 'serviceType'],
  discounts: ['net', 'gross'],
  withoutReport: ['day', 'refuse'],
} as const

const dates = ['startsOn', 'closedUntil'] as const

/** Settings of the books: their first day, the day up to which they are closed, and how entries are made. */
function Rules({ accounts, mayChange }: { accounts: BookAccounts; mayChange: boolean }) {
  const { books: t } = useT()
  // Untouched fields stay unset: they follow the default, even if it changes.
  const [touched, setTouched] = useState<BookAccountsOwn>({})
  const act = useSetAccounts<BookAccountsOwn>(accounts, (changes) => ({ ...accounts.own, ...changes }))
  const values = { ...accounts.effective, ...touched }
  const set = (changes: BookAccountsOwn) => {
    act.reset()
    setTouched({ ...touched, ...changes })
  }
  const isTouched = Object.keys(touched).length > 0
  const save = (event: FormEvent) => {
    event.preventDefault()
    void act.mutateAsync(touched).then(
      () => setTouched({}),
      () => undefined,
    )
  }
  return (
    <form className={formClass} aria-label={t.rules} onSubmit={save}>
      <fieldset className={choicesClass} disabled={!mayChange} style={{ gap: '0.9rem 1rem', alignItems: 'start' }}>
        {dates.map((name) => (
          <Field key={name} label={t[name]} hint={t.hints[name]}>
            <input
              type="date"
              value={values[name] ?? ''}
              onChange={({ target }) => set({ [name]: target.value === '' ? null : target.value })}
            />
          </Field>
        ))}
        {(Object.keys(choices) as (keyof typeof choices)[]).map((name) => (
          <Field key={name} label={t[name]} hint={t.hints[name]}>
            <select value={values[name]} onChange={({ target }) => set({ [name]: target.value })}>
              {choices[name].map((value) => (
                <option key={value} value={value}>
                  {t.choices[value]}
                </option>
              ))}
            </select>
          </Field>
        ))}
        <Field label={t.taxTolerance} hint={t.hints.taxTolerance}>
          <input
            type="number"
            min={0}
            max={100}
            value={values.taxTolerance}
            onChange={({ target }) => set({ taxTolerance: Number(target.value) })}
          />
        </Field>
      </fieldset>
      <label className={checkClass}>
        <input
          type="checkbox"
          disabled={!mayChange}
          checked={values.drawer}
          onChange={({ target }) => set({ drawer: target.checked })}
        />{' '}
        {t.drawer}
      </label>
      {mayChange && (
        <p>
          <Button type="submit" disabled={act.isPending || !isTouched}>
            {t.saveRules}
          </Button>
        </p>
      )}
      {act.error !== null && <Failure problem={act.error} retry={() => act.reset()} />}
      {act.data !== undefined && !isTouched && <Notice tone="good">{t.rulesSaved}</Notice>}
    </form>
  )
}

/** All accounts in force: the settings, and the defaults. */
function Chart({ accounts, mayChange }: { accounts: BookAccounts; mayChange: boolean }) {
  const { books: t, common } = useT()
  const nameOf = useNameOf()
  const [edited, setEdited] = useState<Target | null>(null)
  return (
    <>
      {edited !== null && (
        <AccountForm
          key={targetKey(edited)}
          of={edited}
          hint={t.what[edited.what]}
          accounts={accounts}
          onDone={() => setEdited(null)}
        />
      )}
      <Table
        caption={t.chart}
        rows={rowsOf(accounts)}
        keyOf={({ of }) => targetKey(of)}
        columns={[
          textColumn<{ of: Target }>('name', common.name, ({ of }) => nameOf(of)),
          { key: 'what', head: t.kind, cell: ({ of }) => t.what[of.what], file: ({ of }) => t.what[of.what] },
          {
            key: 'account',
            head: common.account,
            cell: ({ account, accountName }) =>
              account === null ? (
                <span className="muted">{t.refusedWithout}</span>
              ) : (
                <>
                  <span className="mono">{account}</span> <Foreign text={accountName} />
                </>
              ),
            file: ({ account }) => account,
          },
          {
            key: 'own',
            head: t.from,
            isExtra: true,
            cell: ({ isOwn }) => (isOwn ? t.ownAccount : t.usualAccount),
            file: ({ isOwn }) => (isOwn ? t.ownAccount : t.usualAccount),
          },
          ...(mayChange
            ? [
                {
                  key: 'change',
                  head: '',
                  cell: ({ of }: { of: Target }) => (
                    <Button kind="quiet" aria-label={t.changeOf(nameOf(of))} onClick={() => setEdited(of)}>
                      {t.change}
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
    </>
  )
}

/** The accounts of a location, folded; unmapped names are above. */
export function Accounts({ read, mayChange }: { read: Read<BookAccounts>; mayChange: boolean }) {
  const { books: t } = useT()
  return (
    <Async read={read} rows={2}>
      {(accounts) => (
        <>
          <details>
            <summary>{t.rules}</summary>
            <Rules accounts={accounts} mayChange={mayChange} />
          </details>
          <details>
            <summary>{t.chart}</summary>
            <Chart accounts={accounts} mayChange={mayChange} />
          </details>
        </>
      )}
    </Async>
  )
}
