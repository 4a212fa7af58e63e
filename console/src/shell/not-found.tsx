import { Link } from '@tanstack/react-router'
import { useT } from '../i18n/language.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

export function NotFound() {
  const { shell } = useT()
  return (
    <Page title={shell.notFound}>
      <Empty title={shell.notFoundText}>
        <Link to="/">{shell.toStart}</Link>
      </Empty>
    </Page>
  )
}
