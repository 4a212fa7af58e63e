import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Problem } from '../api/problem.ts'
import { useT } from '../i18n/language.tsx'
import { Notice } from '../parts/page.tsx'
import styles from './shell.module.css'

/** A single note that the server does not answer, as long as anything on the screen waits for it. */
export function OfflineNote() {
  const { errors } = useT()
  const cache = useQueryClient().getQueryCache()
  const isOffline = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.findAll({ type: 'active' }).some(({ state: { error } }) => error instanceof Problem && error.isOffline),
  )
  if (!isOffline) return null
  return (
    <div className={styles.note} role="alert">
      <Notice tone="warn">
        <span>
          <strong>{errors.offlineTitle}.</strong> {errors.offlineText}
        </span>
      </Notice>
    </div>
  )
}
