import { useSearch } from '@tanstack/react-router'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { useChange } from './use-change.ts'

/** Links to the next page of a list with cursors, and back to its start. */
export function More({ next, name = 'cursor' }: { next: string | null; name?: 'cursor' | 'before' }) {
  const { common } = useT()
  const change = useChange()
  const isFirst = useSearch({ strict: false })[name] === undefined
  if (isFirst && next === null) return null
  return (
    <p style={{ display: 'flex', gap: '0.6rem', padding: '0.7rem 1rem' }}>
      {!isFirst && <Button onClick={() => change({ [name]: undefined })}>{common.newest}</Button>}
      {next !== null && <Button onClick={() => change({ [name]: next })}>{common.older}</Button>}
    </p>
  )
}
