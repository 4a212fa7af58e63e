import type { AccessPage } from '@tillgate/client'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { More } from './more.tsx'
import { Called, useCalled, usePlaces } from './names.tsx'
import type { Act } from './shapes.ts'
import styles from './audit.module.css'

const api = getRouteApi('/ops/keys')

/** What an act changed, field by field. */
function Changes({ changes }: Act) {
  const { orders: t } = useT()
  return (
    <ul className={styles.changes}>
      {changes?.map(({ field, before, after }) => (
        <li key={field}>
          <code>{field}</code>{' '}
          {before !== null && (
            <>
              <span className="hidden">{t.was}</span>
              <del>
                <Foreign text={before} />
              </del>{' '}
            </>
          )}
          {before !== null && after !== null && <span aria-hidden="true">→ </span>}
          {after !== null && (
            <>
              <span className="hidden">{t.is}</span>
              <ins>
                <Foreign text={after} />
              </ins>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What was done, newest first: who, what, to what, and what it changed. */
export function Audit() {
  const { ops: t } = useT()
  const here = useLocationId()
  const { all, cursor } = api.useSearch()
  const navigate = useNavigate({ from: '/ops/keys' })
  const call: Call = {
    path: '/v1/admin/audit/',
    query: { location: all === 'yes' ? undefined : (here ?? undefined), sort: '-sequence', after: cursor, limit: 50 },
  }
  const read = useApi<AccessPage>(call)
  const called = useCalled(call.query?.location as string | undefined)
  const subjects = (read.data?.data.data ?? []).map((entry) => (entry.kind === 'act' ? entry.subject : null))
  const placeOf = usePlaces(subjects.filter((id) => id !== null && called(id) === undefined))
  return (
    <>
      <Filters>
        <Choose
          label={t.location}
          value={all ?? 'no'}
          choices={[
            ['no', t.thisLocation],
            ['yes', t.allLocations],
          ]}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, cursor: undefined, all: value === 'yes' ? value : undefined }),
            })
          }
        />
      </Filters>
      <Box title={t.tabs.audit} call={call} flush>
        <Async read={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={t.noActs} />
            ) : (
              <>
                <Table<Act>
                  caption={t.tabs.audit}
                  rows={data.filter((entry) => entry.kind === 'act')}
                  keyOf={({ sequence }) => String(sequence)}
                  columns={[
                    { key: 'at', head: t.at, cell: ({ at }) => <Time at={at} as="second" /> },
                    { key: 'act', head: t.act, cell: ({ act }) => <Mark>{t.acts[act]}</Mark> },
                    {
                      key: 'by',
                      head: t.by,
                      cell: ({ by }) => <Called id={by} name={t.actors[by as keyof typeof t.actors] ?? called(by)} />,
                    },
                    {
                      key: 'subject',
                      head: t.subject,
                      cell: ({ subject }) =>
                        subject === null ? '–' : <Called id={subject} name={called(subject) ?? placeOf(subject)} />,
                    },
                    { key: 'changes', head: t.changes, isExtra: true, cell: (act) => <Changes {...act} /> },
                  ]}
                />
                <More cursor={cursor} next={meta.next === 0 ? null : String(meta.next)} />
              </>
            )
          }
        </Async>
      </Box>
    </>
  )
}
