import { useState } from 'react'
import type { BookAccounts, BookBatch, BookBatchList } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useAct, useApi, type Read } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { checkClass, Field } from '../../parts/filters.tsx'
import { Box, Notice } from '../../parts/page.tsx'
import { Failure } from '../../parts/states.tsx'
import type { Acceptances } from './acceptances.ts'
import { Hindrances } from './hindrances.tsx'

type Issued = BookBatch | { batch: null }

type Props = { last: string; accepted: Acceptances; accounts: Read<BookAccounts> }

/** Issues what is due up to a day, at first the `last` of the month that is over. The number of the last batch goes along, so that nothing is issued twice. */
export function Issue({ last: lastDay, accepted, accounts }: Props) {
  const { books: t } = useT()
  const format = useFormat()
  const [skips, setSkips] = useState(false)
  const [until, setUntil] = useState(lastDay)
  const call: Call = { path: '/v1/books/batches/', query: { size: 1 } }
  const last = useApi<BookBatchList>(call)
  const after = last.data?.data.data[0]?.number ?? 0
  const accept = Object.entries(accepted)
    .map(([reportId, reason]) => ({ reportId, reason: reason.trim() }))
    .filter(({ reason }) => reason !== '')
  const act = useAct<Issued>(() => ({
    path: '/v1/books/batches/',
    method: 'POST',
    body: { until, after, accept, skip: skips },
  }))
  const done = act.data?.data
  return (
    <Box title={t.issue} call={call}>
      <p className="muted">{t.issueText(format.days(until, until))}</p>
      <Field label={t.untilDay}>
        <input
          type="date"
          style={{ inlineSize: 'auto', justifySelf: 'start' }}
          value={until}
          onChange={({ target }) => target.value !== '' && setUntil(target.value)}
        />
      </Field>
      <label className={checkClass}>
        <input type="checkbox" checked={skips} onChange={({ target }) => setSkips(target.checked)} /> {t.skip}
      </label>
      <p>
        <Button
          kind="primary"
          disabled={act.isPending || last.data === undefined}
          onClick={() => void act.mutateAsync().catch(() => undefined)}
        >
          {t.issueNow(format.days(until, until))}
        </Button>
      </p>
      {act.error !== null && (
        <>
          <Failure problem={act.error} retry={() => act.reset()} />
          <Hindrances problem={act.error} accounts={accounts} />
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
