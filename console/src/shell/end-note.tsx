import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../api/session.tsx'
import { useFormat } from '../parts/place.tsx'
import { useT } from '../i18n/language.tsx'
import { Notice } from '../parts/page.tsx'
import styles from './shell.module.css'

const everyMs = 60_000

/** In the last fifth of its time, at most a week, a session opened by a link shows when it will end. */
const lastShare = 0.2
const lastMs = 7 * 86_400_000

/** Announces when the session ends, and where to renew it. */
export function EndNote() {
  const { access: t } = useT()
  const format = useFormat()
  const { kind, createdAt, expiresAt, renewableUntil } = useSession()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [])
  const [begin, end] = [Date.parse(createdAt), Date.parse(expiresAt)]
  const isNear = end - now < Math.min(lastMs, (end - begin) * lastShare)
  if (kind !== 'link' || !isNear || pathname.endsWith('/access')) return null
  const isForGood = renewableUntil === null || renewableUntil <= expiresAt
  return (
    <div className={styles.note}>
      <Notice tone="warn">
        <span>
          {isForGood ? t.endsForGood(format.dateTime(expiresAt)) : t.endsSoon(format.dateTime(expiresAt))}{' '}
          {!isForGood && <Link to="/access">{t.toRenewal}</Link>}
        </span>
      </Notice>
    </div>
  )
}
