import { useRouterState } from '@tanstack/react-router'
import { useT } from '../i18n/language.tsx'
import { Notice } from '../parts/page.tsx'
import { legible } from '../parts/text.tsx'
import { ignoredOf } from './search-params.ts'
import styles from './shell.module.css'

/** Says which parts of an address made no sense, rather than show something else in silence. */
export function UrlNote() {
  const { shell } = useT()
  const ignored = useRouterState({
    select: ({ location, matches }) =>
      matches.length === 0
        ? ''
        : ignoredOf(
            window.location.search,
            Object.assign({}, location.search, ...matches.map(({ search }) => search)) as object,
          ).join(', '),
  })
  if (ignored === '') return null
  return (
    <div className={styles.note}>
      <Notice tone="warn">{shell.ignored(legible(ignored))}</Notice>
    </div>
  )
}
