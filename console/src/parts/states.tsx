import { Link } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import type { Problem } from '../api/problem.ts'
import type { Read } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { Foreign } from './text.tsx'
import styles from './states.module.css'

/** Nothing for the first 150 ms, so that a quick answer does not flash; then a place holder of the height of what comes. */
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

/** Why there is nothing, and the one thing to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.emptyTitle}>{title}</p>
      {children}
    </div>
  )
}

function useCountdown(seconds: number | null, then: () => void): number | null {
  const [left, setLeft] = useState(seconds)
  useEffect(() => setLeft(seconds), [seconds])
  useEffect(() => {
    if (left === null) return undefined
    if (left <= 0) {
      then()
      return undefined
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left, then])
  return left
}

export function Failure({ problem, retry }: { problem: Problem; retry: () => void }) {
  const { errors, common } = useT()
  const left = useCountdown(problem.status === 429 ? (problem.retryAfterS ?? 1) : null, retry)
  if (problem.isOffline) {
    return (
      <div className={styles.failure} role="alert">
        <p className={styles.failureTitle}>{errors.offlineTitle}</p>
        <p>{errors.offlineText}</p>
      </div>
    )
  }
  return (
    <div className={styles.failure} role="alert">
      <p className={styles.failureTitle}>
        <Foreign text={problem.status === 403 ? errors.forbidden : problem.title} />
      </p>
      <p>
        <Foreign text={problem.detail} />
      </p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ pointer, detail }) => (
            <li key={`${pointer}${detail}`}>
              <code>{pointer}</code> <Foreign text={detail} />
            </li>
          ))}
        </ul>
      )}
      {left !== null && <p>{errors.waiting(left)}</p>}
      <p className={styles.failureFoot}>
        <Button onClick={retry}>{common.tryAgain}</Button>
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
      {problem.status === 401 && (
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

/** What was read, the rows of before while the next ones come, or what went wrong. A fault stays in its box. */
export function Async<T>({ read, rows, children }: AsyncProps<T>) {
  const { data, error, isPlaceholderData, refetch } = read
  if (data === undefined && error !== null) return <Failure problem={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading {...(rows === undefined ? {} : { rows })} />
  return (
    <div aria-busy={isPlaceholderData} className={isPlaceholderData ? `${styles.read} ${styles.busy}` : styles.read}>
      {error !== null && <Failure problem={error} retry={() => void refetch()} />}
      {children(data.data, data.text)}
    </div>
  )
}
