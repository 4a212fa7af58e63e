import { Link } from '@tanstack/react-router'
import type { BookDayList } from '@tillgate/client'
import { Fragment } from 'react'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Foreign } from '../../parts/text.tsx'
import { useChangedAfter } from '../../parts/changed-orders.tsx'
import { OrderName, useOrderNumbers } from '../../parts/order-names.tsx'

export type BookDay = BookDayList['data'][number]

/** The book state of a Z, or of a day without one. */
export type Source = BookDay['sources'][number] & { date: string }

/** Reasons for booking a Z that does not add up, by its id. */
export type Acceptances = Readonly<Record<string, string>>

type Reason = Source['reasons'][number]

export const tones = {
  waiting: 'warn',
  refused: 'bad',
  unmapped: 'warn',
  ready: 'info',
  issued: 'good',
  changed: 'warn',
  blocked: 'bad',
  empty: 'plain',
} as const

/** Returns the state of a source for the button that issues it: one whose names lack an account is not ready. */
export const standingOf = ({ state, unmapped }: Pick<Source, 'state' | 'unmapped'>): keyof typeof tones =>
  (state === 'ready' || state === 'changed') && unmapped > 0 ? 'unmapped' : state

/** At most this many orders of a reason are listed; the Z has all of them. */
const namedAtMost = 8

/** The orders of a reason, each by its number. */
function Orders({ reason: { code, orderIds }, source: { id, type } }: { reason: Reason; source: Source }) {
  const { books: t } = useT()
  const numbers = useOrderNumbers(id, type === 'report')
  return (
    <>
      {' '}
      {orderIds.slice(0, namedAtMost).map((order, at) => (
        <Fragment key={order}>
          {at > 0 && ', '}
          <OrderName id={order} numbers={type === 'report' ? numbers : new Map()} isMissing={code === 'missing'} />
        </Fragment>
      ))}
      {orderIds.length > namedAtMost && ` ${t.andMore(orderIds.length - namedAtMost)}`}
    </>
  )
}

/** A sentence with a link to the details: from a Z to its proof, from a day to its missing data. */
function Sentence({ reason: { code }, source: { id, type, date } }: { reason: Reason; source: Source }) {
  const { books: t } = useT()
  if (type === 'report') {
    return (
      <Link to="/z/$id" params={{ id }} search={{ show: 'differences' }}>
        {t.reasons[code]}
      </Link>
    )
  }
  return (
    <Link to="/days" search={{ day: date }}>
      {t.reasons[code]}
    </Link>
  )
}

/** Why a Z cannot be booked, each reason with its amount and, where `isNamed`, its orders. */
export function Reasons({ source, isNamed }: { source: Source; isNamed: boolean }) {
  const { books: t } = useT()
  const format = useFormat()
  // If it is known which orders changed after the Z, the possible causes of a difference are not listed.
  const isCauseKnown = useChangedAfter(isNamed && source.type === 'report' ? source.id : null)?.length !== 0
  return (
    <ul>
      {source.reasons.map((reason, place) => {
        const { code, key, difference, orderIds } = reason
        const rate = code.endsWith('_amount') && key !== null ? format.percent(Number(key) / 10_000) : ''
        const name = code === 'payments' ? (key ?? '') : rate
        return (
          // oxlint-disable-next-line react/no-array-index-key -- a reason may be there twice
          <li key={place}>
            <Sentence reason={reason} source={source} />
            {difference !== null && (
              <>
                {' '}
                <Foreign text={`(${t.difference(name, format.moneyChange(difference))})`} />
              </>
            )}
            {isNamed && orderIds.length > 0 && !(isCauseKnown && difference !== null) && (
              <Orders reason={reason} source={source} />
            )}
          </li>
        )
      })}
    </ul>
  )
}
