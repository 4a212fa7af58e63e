import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { BookAccounts, BookDayList } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useScope } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { daysOfMonth, monthAfter, MonthSteps } from '../../parts/months.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import type { Acceptances } from './acceptances.ts'
import { ChangedAfterReport } from '../../parts/changed-orders.tsx'
import { Accounts } from './accounts.tsx'
import { Batches } from './batches.tsx'
import { BookCalendar } from './calendar.tsx'
import { Entry } from './entry.tsx'
import { Issue } from './issue.tsx'
import { Sources } from './sources.tsx'
import { UnmappedNames } from './unmapped.tsx'
import { Vat } from './vat.tsx'

const api = getRouteApi('/books')

/** What a bookkeeper takes away of a month: how its days stand, names without an account, the Z, then what is issued. */
export function Books() {
  const { books: t, screens } = useT()
  const format = useFormat()
  const { month: asked, day, source } = api.useSearch()
  const mayIssue = useScope('books')
  const [accepted, setAccepted] = useState<Acceptances>({})
  const today = businessDayOf(new Date(), format.place)
  const month = asked ?? day?.slice(0, 7) ?? monthAfter(today.slice(0, 7), -1)
  const days = daysOfMonth(month, today)
  const call: Call = { path: '/v1/books/days/', query: days }
  const read = useApi<BookDayList>(call)
  const accountsCall: Call = { path: '/v1/books/accounts' }
  const accounts = useApi<BookAccounts>(accountsCall)
  const startsOn = accounts.data?.data.effective.startsOn ?? null
  const standing = (
    <>
      <Box
        title={day === undefined ? t.entries : t.entriesOf(format.fullDay(day))}
        aside={
          day !== undefined && (
            <Link
              from="/books"
              to="/books"
              search={(before) => ({ ...before, day: undefined, source: undefined })}
              resetScroll={false}
            >
              {t.wholeMonth}
            </Link>
          )
        }
      >
        <Async read={read} rows={8}>
          {({ data }) => (
            <Sources
              days={day === undefined ? data : data.filter(({ date }) => date === day)}
              isOneDay={day !== undefined}
              accepted={accepted}
              onAccept={mayIssue ? setAccepted : undefined}
            />
          )}
        </Async>
      </Box>
      {day !== undefined &&
        read.data?.data.data
          .filter(({ date }) => date === day)
          .flatMap(({ sources }) => sources)
          .filter(({ type, reasons }) => type === 'report' && reasons.length > 0)
          .map(({ id, pieceRef }) => <ChangedAfterReport key={id} id={id} name={pieceRef} />)}
      {source !== undefined && <Entry id={source} />}
    </>
  )
  return (
    <Page title={screens.books} intro={t.intro}>
      <Box title={format.month(month)} call={call} aside={<MonthSteps month={month} today={today} />}>
        <Async read={read} rows={8}>
          {({ data }) => <BookCalendar month={month} days={data} chosen={day} startsOn={startsOn} />}
        </Async>
      </Box>
      {day !== undefined && standing}
      <Box title={t.unmapped} call={{ path: '/v1/books/unmapped/', query: days }}>
        <UnmappedNames days={days} accounts={accounts} mayChange={mayIssue} />
      </Box>
      {day === undefined && standing}
      <Vat month={month} days={days} />
      {mayIssue && (
        <Issue
          key={month}
          last={days.until < today ? days.until : addDays(today, -1)}
          accepted={accepted}
          accounts={accounts}
        />
      )}
      <Batches />
      <Box title={t.accounts} call={accountsCall}>
        <Accounts read={accounts} mayChange={mayIssue} />
      </Box>
    </Page>
  )
}
