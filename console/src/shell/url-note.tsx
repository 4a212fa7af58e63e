import { useRouter, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { useT } from '../i18n/language.tsx'
import { Notice } from '../parts/page.tsx'
import { legible } from '../parts/text.tsx'
import { ignoredOf } from '../parts/search-params.ts'
import styles from './shell.module.css'

// The URL as opened: the router removes what it does not understand.
const opened = window.location.search

/** Lists the parts of a URL that were not understood, instead of ignoring them silently. */
export function UrlNote() {
  const { shell } = useT()
  const { state } = useRouter()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const [{ ignored, at }] = useState(() => {
    const understood = Object.assign({}, ...state.matches.map(({ search }) => search as object)) as object
    return { ignored: ignoredOf(opened, understood).join(', '), at: pathname }
  })
  if (ignored === '' || at !== pathname) return null
  return (
    <div className={styles.note}>
      <Notice tone="warn">{shell.ignored(legible(ignored))}</Notice>
    </div>
  )
}
