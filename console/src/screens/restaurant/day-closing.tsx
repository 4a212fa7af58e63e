import { Link } from '@tanstack/react-router'
import type { BusinessDay, CheckpointPage, Closing, ClosingPage } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { saveText } from '../../parts/csv.ts'
import { Box, Fact, Facts } from '../../parts/page.tsx'
import { useFormat } from '../../parts/place.tsx'
import { Async } from '../../parts/states.tsx'

/** The first checkpoint that covers all entries of the closing. */
function Signature({ closing }: { closing: Closing }) {
  const { closings: t, days } = useT()
  const format = useFormat()
  const read = useApi<CheckpointPage>({ path: '/v1/checkpoints/', query: { covers: closing.toSequence } })
  const [signed] = read.data?.data.data ?? []
  if (read.data === undefined) return <span data-loading hidden />
  if (signed === undefined) return <p className="muted">{days.notSigned}</p>
  return (
    <>
      <Facts>
        <Fact name={days.signedAt} at={signed.createdAt} as="moment" />
        <Fact name={t.size}>{format.number(signed.size)}</Fact>
      </Facts>
      <p>
        <Button onClick={() => saveText(`tillgate-${signed.size}.checkpoint`, signed.note)}>{t.saveNote}</Button>{' '}
        <Link to="/closings">{t.verify}</Link>
      </p>
    </>
  )
}

/** The closing of a day, later arrivals for the day, and the checkpoint that signed both. */
export function DayClosing({ day }: { day: BusinessDay }) {
  const { closings: t, days, sales, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/closings/', query: { date: day.date } }
  const read = useApi<ClosingPage>(call)
  return (
    <Box title={days.closing} call={call}>
      <Async read={read} rows={2}>
        {({ data: [closing] }) => {
          if (closing === undefined) return <p className="muted">{days.notClosed}</p>
          const then = closing.days.find(({ date }) => date === day.date)?.salesInclTax ?? 0
          return (
            <>
              <Facts>
                <Fact name={common.number}>
                  <Link to="/closings" search={{ number: String(closing.number) }}>
                    {format.number(closing.number)}
                  </Link>
                </Fact>
                <Fact name={common.closed} at={closing.createdAt} as="moment" />
                <Fact name={sales.figures.salesInclTax}>{format.money(then)}</Fact>
                <Fact name={days.sinceClosing}>
                  <span data-difference>{format.moneyChange(day.sales.salesInclTax - then)}</span>
                </Fact>
                <Fact name={t.perpetual}>{format.money(closing.perpetual.salesInclTax)}</Fact>
              </Facts>
              <Signature closing={closing} />
            </>
          )
        }}
      </Async>
    </Box>
  )
}
