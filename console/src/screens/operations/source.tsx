import type { AdminSource, AdminSourceDetail } from '@tillgate/client'
import { useParams, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Box, Fact, Facts, Page } from '../../parts/page.tsx'
import { Async, Empty, Failure } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { SourceCheckBox } from './source-check.tsx'
import { SourceMark } from './source-state.tsx'
import { timeColumn } from '../../parts/columns.tsx'

/** One source: its state, its days compared with the system's figures, and documents without a record. */
export function SourceScreen() {
  const { sources: t, screens } = useT()
  const { id } = useParams({ from: '/ops/sources/$id' })
  const call: Call = { path: `/v1/admin/sources/${id}` }
  const read = useApi<AdminSourceDetail>(call, { everyMs: 5_000 })
  const source = read.data?.data
  return (
    <Page
      title={source === undefined ? screens.sources : `${t.names[source.source]} · ${source.account}`}
      intro={<Link to="/ops/sources">{t.back}</Link>}
      call={call}
      actions={source !== undefined && <Acts source={source} />}
    >
      <Async read={read} rows={8}>
        {(detail) => (
          <>
            <Standing source={detail} />
            <SourceCheckBox source={detail} />
            <Days source={detail} />
            <Notices source={detail} />
          </>
        )}
      </Async>
    </Page>
  )
}

function Acts({ source: { id, state, storedFrom } }: { source: AdminSource }) {
  const { sources: t, common } = useT()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const act = useAct<AdminSource, 'run' | 'pause' | 'resume'>((name) => ({
    path: `/v1/admin/sources/${id}/${name}`,
    method: 'POST',
  }))
  const remove = useAct(() => ({ path: `/v1/admin/sources/${id}`, method: 'DELETE' }))
  const isRead = state === 'active' || state === 'failing'
  return (
    <>
      {isRead && (
        <Button disabled={act.isPending} onClick={() => act.mutate('run')}>
          {t.runNow}
        </Button>
      )}
      {isRead && (
        <Button disabled={act.isPending} onClick={() => act.mutate('pause')}>
          {common.pause}
        </Button>
      )}
      {!isRead && storedFrom !== null && (
        <Button kind="primary" disabled={act.isPending} onClick={() => act.mutate('resume')}>
          {common.resume}
        </Button>
      )}
      <Button kind="danger" onClick={() => setDeleting(true)}>
        {common.delete}
      </Button>
      {act.error !== null && <Failure problem={act.error} />}
      <Confirm
        title={t.removeTitle}
        text={t.removeText}
        action={common.delete}
        isOpen={isDeleting}
        act={remove}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/ops/sources' }) })}
      />
    </>
  )
}

/** Describes the state of the source, with advice. */
function useSentence({ state, storedFrom, nextRunAt }: AdminSource): string {
  const { sources: t } = useT()
  const format = useFormat()
  if (storedFrom === null && state === 'paused') return t.said.never
  if (state === 'failing') return t.said.failing(nextRunAt === null ? '' : format.recent(nextRunAt))
  return t.said[state]
}

function Standing({ source }: { source: AdminSource }) {
  const { sources: t } = useT()
  const format = useFormat()
  const sentence = useSentence(source)
  const { state, lastError, beganAt, succeededAt, nextRunAt, readUntil, accepted, storedFrom, secret } = source
  return (
    <Box>
      <p>
        <SourceMark state={state} /> {sentence}
      </p>
      {lastError !== null && (
        <p>
          {`${t.error} `}
          <Foreign text={lastError} lang="en" />
        </p>
      )}
      <Facts>
        <Fact name={t.lastRun} at={beganAt} as="ago" />
        <Fact name={t.lastGood} at={succeededAt} as="ago" />
        <Fact name={t.nextRun} at={nextRunAt} as="recent" />
        <Fact name={t.readUntil} at={readUntil} as="second" />
        <Fact name={t.storedFrom} at={storedFrom} />
        <Fact name={t.stored}>{format.number(accepted)}</Fact>
        <Fact name={t.secret}>
          <code>
            <Foreign text={secret} />
          </code>
        </Fact>
      </Facts>
    </Box>
  )
}

function Days({ source: { days, currency } }: { source: AdminSourceDetail }) {
  const { sources: t, common } = useT()
  const format = useFormat()
  const amount = (minor: number) => format.moneyIn(minor, currency)
  return (
    <Box title={t.days} flush>
      {days.length === 0 ? (
        <Empty title={t.noDays} />
      ) : (
        <Table<AdminSourceDetail['days'][number]>
          caption={t.daysHint}
          rows={days}
          keyOf={({ date }) => date}
          columns={[
            { key: 'day', head: t.day, cell: ({ date }) => format.day(date) },
            { key: 'here', head: t.here, isNumber: true, cell: ({ here }) => amount(here) },
            { key: 'there', head: t.there, isNumber: true, cell: ({ there }) => amount(there) },
            {
              key: 'difference',
              head: common.difference,
              cell: ({ difference }) =>
                difference === 0 ? <Mark tone="good">{t.equal}</Mark> : <Mark tone="bad">{amount(difference)}</Mark>,
            },
            {
              ...timeColumn('compared', t.compared, ({ comparedAt }) => comparedAt, { as: 'recent', isExtra: true }),
              note: ({ rereadAt }) => rereadAt !== null && t.reread,
            },
          ]}
        />
      )}
    </Box>
  )
}

function Notices({ source: { notices, reasons, locationId } }: { source: AdminSourceDetail }) {
  const { sources: t, common } = useT()
  const format = useFormat()
  return (
    <Box title={t.left}>
      {notices.length === 0 ? (
        <Empty title={t.noLeft} />
      ) : (
        <>
          <ul>
            {reasons.map(({ kind, reason, count }) => (
              <li key={`${kind}${reason}`}>
                {`${format.number(count)} ${t.kinds[kind]} · `}
                <Foreign text={reason} lang="en" />
              </li>
            ))}
          </ul>
          <Table<AdminSourceDetail['notices'][number]>
            caption={t.left}
            rows={notices}
            keyOf={({ key }) => key}
            columns={[
              {
                key: 'key',
                head: t.document,
                cell: ({ key, rejectedId }) => (
                  <>
                    <code>
                      <Foreign text={key} />
                    </code>
                    {rejectedId !== null && (
                      <div>
                        <Link
                          to="/ops/rejected"
                          search={{ location: locationId, only: 'yes', record: rejectedId } as never}
                        >
                          {t.raw}
                        </Link>
                      </div>
                    )}
                  </>
                ),
              },
              {
                key: 'kind',
                head: common.state,
                cell: ({ kind }) => <Mark tone={kind === 'refused' ? 'warn' : 'plain'}>{t.kinds[kind]}</Mark>,
              },
              { key: 'reason', head: common.reason, cell: ({ reason }) => <Foreign text={reason} lang="en" /> },
              {
                key: 'tries',
                head: t.tries,
                isExtra: true,
                isNumber: true,
                cell: ({ tries }) => format.number(tries),
                note: ({ nextTryAt }) => nextTryAt !== null && t.next(format.recent(nextTryAt)),
              },
            ]}
          />
        </>
      )}
    </Box>
  )
}
