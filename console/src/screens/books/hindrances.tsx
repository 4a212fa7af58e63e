import { Link } from '@tanstack/react-router'
import type { BookAccounts, BookUnmapped } from '@tillgate/client'
import { useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import type { Read } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { AccountForm } from './accounts.tsx'
import { targetKey, targetOf } from './mapping.ts'

type Members = {
  days?: readonly string[]
  refused?: readonly { id: string; date: string; pieceRef: string }[]
  names?: readonly BookUnmapped[]
}

/** At most this many of each are listed; fixing them reveals the others. */
const namedAtMost = 12

/** Names without an account, each with a field to set one. */
function Names({ names, accounts }: { names: readonly BookUnmapped[]; accounts: BookAccounts }) {
  const { books: t } = useT()
  const format = useFormat()
  const [given, setGiven] = useState<readonly string[]>([])
  return names
    .map((one) => ({ of: targetOf(one.what, one), amount: one.amount }))
    .filter(({ of }) => !given.includes(targetKey(of)))
    .map(({ of, amount }) => (
      <AccountForm
        key={targetKey(of)}
        of={of}
        hint={`${t.what[of.what]} · ${format.money(amount)}`}
        accounts={accounts}
        onDone={() => setGiven([...given, targetKey(of)])}
      />
    ))
}

/** What prevents a batch, including months other than the one shown, with links to resolve it. */
export function Hindrances({ problem, accounts }: { problem: Problem; accounts: Read<BookAccounts> }) {
  const { books: t } = useT()
  const format = useFormat()
  const { days = [], refused = [], names = [] } = problem.members as Members
  const known = accounts.data?.data
  return (
    <>
      {days.length > 0 && (
        <>
          <h3>{t.notComplete}</h3>
          <ul>
            {days.slice(0, namedAtMost).map((day) => (
              <li key={day}>
                <Link to="/days" search={{ day }}>
                  {format.fullDay(day)}
                </Link>
              </li>
            ))}
            {days.length > namedAtMost && <li>{t.andMore(days.length - namedAtMost)}</li>}
          </ul>
        </>
      )}
      {refused.length > 0 && (
        <>
          <h3>{t.notBookable}</h3>
          <ul>
            {refused.slice(0, namedAtMost).map(({ id, date, pieceRef }) => (
              <li key={id}>
                <Link to="/month" search={{ month: date.slice(0, 7), day: date, source: id }}>
                  {pieceRef} · {format.fullDay(date)}
                </Link>
              </li>
            ))}
            {refused.length > namedAtMost && <li>{t.andMore(refused.length - namedAtMost)}</li>}
          </ul>
        </>
      )}
      {names.length > 0 && known !== undefined && <Names names={names} accounts={known} />}
    </>
  )
}
