import { useMemo } from 'react'
import type { HistoryEntry, Order } from '@tillgate/client'
import type { Problem } from '../../api/problem.ts'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box } from '../../parts/page.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { Mark, Time, legible } from '../../parts/text.tsx'
import { changesBetween, membersOf, type FieldChange } from './differences.ts'
import styles from './versions.module.css'

/** A version of an order, with its text as it is stored. */
export type Version = Omit<HistoryEntry, 'data'> & { data: Order; text: string }

export type History = { call: Call; entries: Version[]; isPending: boolean; error: Problem | null; retry: () => void }

export function useHistory(id: string): History {
  const call: Call = { path: `/v1/orders/${id}/history` }
  const { data, error, isPending, refetch } = useApi<HistoryEntry[]>(call)
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

type Props = { history: History; chosen: number | null; onChoose: (sequence: number) => void }

/** What happened to the order, newest first: each version with the fields that changed from the one before. */
export function Versions({ history, chosen, onChoose }: Props) {
  const { orders: t } = useT()
  const format = useFormat()
  const { entries } = history
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
                {t.journalNumber(format.number(entry.sequence))}
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
