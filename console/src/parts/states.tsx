import type { FieldError } from '@tillgate/client'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Problem } from '../api/problem.ts'
import type { Read } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { Foreign } from './text.tsx'
import styles from './states.module.css'

/** Shows nothing for 150 ms, so that a quick answer does not flash; then a placeholder of the expected height. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const { common } = useT()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.loading} role="status" aria-label={common.loading} data-loading>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={isLate ? styles.bone : styles.unseen} />
      ))}
    </div>
  )
}

/** Why there is no data, and the one action to take. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty} data-empty>
      <p className={styles.emptyTitle}>{title}</p>
      {children}
    </div>
  )
}

/** Returns the whole seconds until the data is requested again; null if that is not planned, or already past. */
function useCountdown(problem: Problem): number | null {
  const [, setNow] = useState(0)
  // Each refusal restarts the countdown, even with the same waiting time.
  const until = useMemo(() => (problem.againMs === null ? null : Date.now() + problem.againMs), [problem])
  useEffect(() => {
    if (until === null) return undefined
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [until])
  const left = until === null ? 0 : Math.ceil((until - Date.now()) / 1000)
  return left > 0 ? left : null
}

/** Where a fault is, what it is, and the server's message. */
export function FaultText({
  fault: { pointer, code, detail },
}: {
  fault: Pick<FieldError, 'pointer' | 'detail'> & { code: string }
}) {
  const { faults } = useT()
  return (
    <>
      <code>
        <Foreign text={pointer} />
      </code>{' '}
      {(faults as Partial<Record<string, string>>)[code] ?? code} <Foreign text={`(${detail})`} lang="en" />
    </>
  )
}

/** A failure in the reader's words, with advice and the server's message. */
export function Failure({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const { errors, common, problems } = useT()
  const left = useCountdown(problem)
  const [title, help] = problem.isOffline
    ? [errors.offlineTitle, errors.offlineText]
    : ((problems as Partial<Record<string, readonly [string, string]>>)[problem.code] ?? [problem.title, ''])
  return (
    <div className={styles.failure} role="alert">
      <p className={styles.failureTitle}>
        <Foreign text={title} />
      </p>
      {help !== '' && <p>{help}</p>}
      {!problem.isOffline && problem.detail !== '' && (
        <p>
          {errors.said} <Foreign text={problem.detail} lang="en" />
        </p>
      )}
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((fault) => (
            <li key={`${fault.pointer}${fault.detail}`}>
              <FaultText fault={fault} />
            </li>
          ))}
        </ul>
      )}
      {/* A timer is not read aloud each second. */}
      {left !== null && !problem.isOffline && <p role="timer">{errors.waiting(left)}</p>}
      {!problem.isOffline && (
        <p className={styles.failureFoot}>
          {retry !== undefined && <Button onClick={retry}>{common.tryAgain}</Button>}
          <span className="muted">
            <code>{problem.code}</code>
            {problem.requestId !== null && (
              <>
                {' · '}
                {errors.request} <code>{problem.requestId}</code>
              </>
            )}
          </span>
        </p>
      )}
      {problem.status === 401 && retry !== undefined && (
        <p>
          <Link to="." reloadDocument>
            {errors.signInAgain}
          </Link>
        </p>
      )}
    </div>
  )
}

type AsyncProps<T> = { read: Read<T>; rows?: number; children: (data: T, text: string) => ReactNode }

/** Marks rows as the previous ones while the next ones load. */
export function Held({ read, children }: { read: Pick<Read<unknown>, 'isPlaceholderData'>; children: ReactNode }) {
  const isBusy = read.isPlaceholderData
  return (
    <div aria-busy={isBusy} className={isBusy ? `${styles.read} ${styles.busy}` : styles.read}>
      {children}
    </div>
  )
}

/** The loaded data, the previous rows while the next ones load, or the failure, which stays in its box. */
export function Async<T>({ read, rows, children }: AsyncProps<T>) {
  const { data, error, refetch } = read
  // An unreachable server is reported once, above all boxes.
  if (data === undefined && error?.isOffline) return <p className="muted">–</p>
  if (data === undefined && error !== null) return <Failure problem={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading {...(rows === undefined ? {} : { rows })} />
  return (
    <Held read={read}>
      {error !== null && !error.isOffline && <Failure problem={error} retry={() => void refetch()} />}
      {children(data.data, data.text)}
    </Held>
  )
}
