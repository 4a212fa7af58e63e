import { useMemo } from 'react'
import type { HistoryEntry, Order, Report } from '@tillgate/client'
import type { Problem } from '../../api/problem.ts'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box } from '../../parts/page.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { Mark, Time, legible } from '../../parts/text.tsx'
import { changesBetween, membersOf, type FieldChange } from './differences.ts'
import styles from './versions.module.css'

/** A version of an order or a Z report, with its stored text. */
export type Version<T extends Order | Report = Order> = Omit<HistoryEntry, 'data'> & { data: T; text: string }

export type History<T extends Order | Report = Order> = {
  call: Call
  entries: Version<T>[]
  isPending: boolean
  error: Problem | null
  retry: () => void
}

/** Reads the versions of the order or report at `path`. */
export function useHistory<T extends Order | Report = Order>(
  path: `/v1/${'orders' | 'reports'}/${string}`,
): History<T> {
  const call: Call = { path: `${path}/history` }
  const { data, error, isPending, refetch } = useApi<(HistoryEntry & { data: T })[]>(call)
  const entries = useMemo(() => {
    if (data === undefined) return []
    const texts = membersOf(data.text, 'data')
    return data.data.map((entry, place) => ({ ...entry, text: texts[place] ?? '' }))
  }, [data])
  return { call, entries, isPending, error, retry: () => void refetch() }
}

const shownAtMost = 60

function Change({ change }: { change: FieldChange }) {
  const { orders: t } = useT()
  return (
    <li className={styles.change}>
      <code>{legible(change.path === '' ? '$' : change.path)}</code>
      <span>
        <span className="hidden">{t.was}</span>
        <del>{change.before === null ? t.absent : legible(change.before)}</del> <span aria-hidden="true">→</span>
        <span className="hidden">{t.is}</span> <ins>{change.after === null ? t.absent : legible(change.after)}</ins>
      </span>
    </li>
  )
}

type Props = { history: History | History<Report>; chosen: number | null; onChoose: (sequence: number) => void }

/** The versions of an order or a report, newest first, each with the fields that changed. */
export function Versions({ history, chosen, onChoose }: Props) {
  const { orders: t, common } = useT()
  const format = useFormat()
  const entries: readonly Version<Order | Report>[] = history.entries
  const steps = useMemo(
    () =>
      entries
        .map((entry, place) => ({
          entry,
          changes: place === 0 ? null : changesBetween(entries[place - 1]?.text ?? '', entry.text),
        }))
        .toReversed(),
    [entries],
  )
  return (
    <Box title={t.versions} call={history.call}>
      {history.error !== null && <Failure problem={history.error} retry={history.retry} />}
      {history.isPending && <Loading rows={3} />}
      <ol className={styles.line}>
        {steps.map(({ entry, changes }) => (
          <li
            key={entry.sequence}
            className={styles.step}
            aria-current={entry.sequence === chosen ? 'step' : undefined}
          >
            <p className={styles.head}>
              <button
                type="button"
                className={styles.number}
                aria-pressed={entry.sequence === chosen}
                onClick={() => onChoose(entry.sequence)}
              >
                {common.journalNumber(format.number(entry.sequence))}
              </button>
              {entry.types.map((type) => (
                <Mark key={type}>{type}</Mark>
              ))}
              <span className="muted">
                {t.accepted} <Time at={entry.timestamp} as="second" /> · {t.tillTime}{' '}
                <Time at={entry.data.updatedAt} as="second" /> ·{' '}
                {t.delay(format.duration(Date.parse(entry.timestamp) - Date.parse(entry.data.updatedAt)))}
              </span>
            </p>
            {changes === null ? (
              <p className="muted">{t.firstVersion}</p>
            ) : (
              <ul>
                {changes.slice(0, shownAtMost).map((change) => (
                  <Change key={change.path} change={change} />
                ))}
                {changes.length > shownAtMost && (
                  <li className="muted">{t.moreChanges(changes.length - shownAtMost)}</li>
                )}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </Box>
  )
}
