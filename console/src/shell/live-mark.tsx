import type { JournalHead } from '@tillgate/client'
import { useFormat } from '../parts/place.tsx'
import { useApi } from '../api/use-api.ts'
import { useScope } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { useLive } from '../live/live.tsx'
import { Button } from '../parts/button.tsx'
import styles from './shell.module.css'

/** Whether and up to which number the screen follows the journal; a button that stops moving content. */
export function LiveMark() {
  const { shell } = useT()
  const format = useFormat()
  const { state, sequence, toggle } = useLive()
  const reads = useScope('read')
  const head = useApi<JournalHead>(reads ? { path: '/v1/journal/head' } : null)
  if (!reads) return null
  const number = Math.max(sequence ?? 0, head.data?.data.sequence ?? 0)
  return (
    <Button kind="quiet" onClick={toggle} aria-pressed={state === 'paused'} title={shell.liveHelp}>
      <span className={styles.live}>
        <span className={styles.dot} data-state={state} aria-hidden="true" />
        <span className={styles.liveText}>
          {shell.live[state]}
          {number > 0 && ` · ${format.number(number)}`}
        </span>
      </span>
    </Button>
  )
}
