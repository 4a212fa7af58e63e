import { useNavigate } from '@tanstack/react-router'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'

/** Links to the next page of a list with cursors, and back to its start. */
export function More({ cursor, next }: { cursor: string | undefined; next: string | null }) {
  const { common } = useT()
  const navigate = useNavigate()
  if (cursor === undefined && next === null) return null
  const go = (to: string | undefined) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, cursor: to }) })
  return (
    <p style={{ display: 'flex', gap: '0.6rem', padding: '0.7rem 1rem' }}>
      {cursor !== undefined && <Button onClick={() => go(undefined)}>{common.newest}</Button>}
      {next !== null && <Button onClick={() => go(next)}>{common.next}</Button>}
    </p>
  )
}
