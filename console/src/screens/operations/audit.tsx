import type { AdminActPage } from '@tillgate/client'
import { useSearch } from '@tanstack/react-router'
import { useLocationId } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Filters } from '../../parts/filters.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Foreign, Mark } from '../../parts/text.tsx'
import { Caller } from '../../parts/who.tsx'
import { HereFilter, usePlaces } from './names.tsx'
import type { Act } from './shapes.ts'
import styles from './audit.module.css'
import { ListBox } from '../../parts/list-box.tsx'
import { timeColumn } from '../../parts/columns.tsx'

/** Removes duplicates: an operator's act on a location is in the logs of the installation and of the location. */
function once(acts: readonly Act[]): Act[] {
  const keyOf = ({ at, act, by, subject }: Act) => `${at} ${act} ${by} ${subject}`
  const known = new Set(acts.filter(({ locationId }) => locationId !== undefined).map(keyOf))
  return acts.filter((one) => one.locationId !== undefined || !known.has(keyOf(one)))
}

/** What an act changed, field by field. */
function Changes({ changes }: Act) {
  const { orders: t, ops, shell, common } = useT()
  const fields: Record<string, string> = {
    scopes: common.rights,
    name: common.name,
    city: ops.city,
    timeZone: common.zone,
    currency: ops.currency,
    dayStartsAt: ops.dayStartsAt,
    fiscalYearStarts: ops.fiscalYear,
  }
  // Rights have translated names; a field that no screen names keeps its API name.
  const words = (field: string, value: string) =>
    field === 'scopes'
      ? value.replaceAll(/[a-z]+/g, (scope) =>
          Object.hasOwn(shell.scopes, scope) ? shell.scopes[scope as 'read'] : scope,
        )
      : value
  return (
    <ul className={styles.changes}>
      {changes?.map(({ field, before, after }) => (
        <li key={field}>
          {Object.hasOwn(fields, field) ? fields[field] : <code>{field}</code>}{' '}
          {before !== null && (
            <>
              <span className="hidden">{t.was}</span>
              <del>
                <Foreign text={words(field, before)} />
              </del>{' '}
            </>
          )}
          {before !== null && after !== null && <span aria-hidden="true">→ </span>}
          {after !== null && (
            <>
              <span className="hidden">{t.is}</span>
              <ins>
                <Foreign text={words(field, after)} />
              </ins>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Acts, newest first: who, what, the target, and the changes. */
export function Audit() {
  const { ops: t, common } = useT()
  const here = useLocationId()
  const { only, cursor } = useSearch({ from: '/ops/keys' })
  const location = only === 'yes' ? (here ?? undefined) : undefined
  const call: Call = { path: '/v1/admin/acts/', query: { location, cursor } }
  const read = useApi<AdminActPage>(call)
  const allRows = useAllRows<Act>(call)
  const allActs = async () => once(await allRows())
  const unnamed = (read.data?.data.data ?? []).map((entry) => (entry.subjectName === undefined ? entry.subject : null))
  const placeOf = usePlaces(unnamed.filter((id) => id !== null))
  return (
    <>
      <Filters>
        <HereFilter only={only} />
      </Filters>
      <ListBox<Act>
        caption={t.tabs.audit}
        call={call}
        read={read}
        none={t.noActs}
        pages="cursor"
        toRows={once}
        keyOf={({ sequence, at, locationId }) => `${locationId} ${at} ${sequence}`}
        toRecords={asAnswered}
        allRows={allActs}
        columns={[
          timeColumn('at', common.at, ({ at }) => at, { as: 'second' }),
          { key: 'act', head: t.act, cell: ({ act }) => <Mark>{t.acts[act]}</Mark> },
          {
            key: 'by',
            head: t.by,
            cell: ({ by, byName, account }) => <Caller id={by} name={byName} account={account} />,
          },
          {
            key: 'subject',
            head: t.subject,
            cell: ({ subject, subjectName }) =>
              subject === null ? '–' : <Caller id={subject} name={subjectName ?? placeOf(subject)} />,
          },
          { key: 'changes', head: t.changes, isExtra: true, cell: (act) => <Changes {...act} /> },
        ]}
      />
    </>
  )
}
