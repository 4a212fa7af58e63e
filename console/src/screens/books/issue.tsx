import { useState } from 'react'
import type { BookAccounts, BookBatch, BookBatchList, NoBookBatch } from '@tillgate/client'
import { useAct, useApi, type Read, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { checkClass, Field } from '../../parts/filters.tsx'
import { Box, Notice } from '../../parts/page.tsx'
import { Failure } from '../../parts/states.tsx'
import type { Acceptances } from './standing.tsx'
import { ForGood } from './for-good.tsx'
import { Hindrances } from './hindrances.tsx'

type Props = { last: string; accepted: Acceptances; accounts: Read<BookAccounts> }

type Due = NonNullable<NoBookBatch['due']>

function Due({ due, ...acts }: { due: Due; isBusy: boolean; onAct: () => void; onCancel: () => void }) {
  const { books: t } = useT()
  const format = useFormat()
  if (due.since === null || due.until === null) return <Notice tone="info">{t.nothingDue}</Notice>
  const text = [
    t.due(due.entries, format.days(due.since, due.until), format.money(due.debit)),
    due.reversals > 0 ? t.reversals(due.reversals) : '',
    due.hasMore ? t.more : '',
    t.forGood,
  ]
  return <ForGood text={text.filter(Boolean).join(' ')} action={t.issueThese(due.entries)} {...acts} />
}

/** Issues the entries due up to a day; with the number of the last batch, so that nothing is issued twice. */
export function Issue({ last: lastDay, accepted, accounts }: Props) {
  const { books: t, month } = useT()
  const format = useFormat()
  const [skips, setSkips] = useState(false)
  const [until, setUntil] = useState(lastDay)
  const call: Call = { path: '/v1/books/batches/', query: { size: 1 } }
  const last = useApi<BookBatchList>(call)
  const after = last.data?.data.data[0]?.number ?? 0
  const accept = Object.entries(accepted)
    .map(([reportId, reason]) => ({ reportId, reason: reason.trim() }))
    .filter(({ reason }) => reason !== '')
  const asked = { until, after, accept, skip: skips }
  const post = (body: object): Call => ({ path: '/v1/books/batches/', method: 'POST', body })
  const count = useAct<NoBookBatch>(() => post({ ...asked, dryRun: true }))
  const issue = useAct<BookBatch | NoBookBatch, string>((plan) => post({ ...asked, plan }))
  const due = count.data?.data.due
  const done = issue.data?.data
  const change = (set: () => void) => {
    set()
    count.reset()
    issue.reset()
  }
  const error = issue.error ?? count.error
  return (
    <Box title={month.steps.issue} call={call}>
      <p className="muted">{t.issueText(format.days(until, until))}</p>
      <Field label={t.untilDay}>
        <input
          type="date"
          style={{ inlineSize: 'auto', justifySelf: 'start' }}
          value={until}
          onChange={({ target }) => target.value !== '' && change(() => setUntil(target.value))}
        />
      </Field>
      <label className={checkClass}>
        <input type="checkbox" checked={skips} onChange={({ target }) => change(() => setSkips(target.checked))} />{' '}
        {t.skip}
      </label>
      <p>
        <Button
          disabled={count.isPending || last.data === undefined}
          onClick={() => {
            issue.reset()
            void count.mutateAsync().catch(() => undefined)
          }}
        >
          {t.issueNow(format.days(until, until))}
        </Button>
      </p>
      {due !== undefined && done === undefined && error === null && (
        <Due
          due={due}
          isBusy={issue.isPending}
          onAct={() => void issue.mutateAsync(due.plan).catch(() => undefined)}
          onCancel={() => count.reset()}
        />
      )}
      {error !== null && (
        <>
          <Failure problem={error} retry={() => change(() => undefined)} />
          <Hindrances problem={error} accounts={accounts} />
        </>
      )}
      {done !== undefined &&
        ('number' in done ? (
          <Notice tone="good">
            {t.issued(done.number, done.entries.length)} {done.hasMore ? t.more : ''}
          </Notice>
        ) : (
          <Notice tone="info">{t.nothingDue}</Notice>
        ))}
    </Box>
  )
}
