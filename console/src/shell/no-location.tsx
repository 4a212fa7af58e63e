import { Link } from '@tanstack/react-router'
import { useScope } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

/** A screen of a location in an installation without any: the link to create the first one. */
export function NoLocation() {
  const { shell, ops, common } = useT()
  const isOperator = useScope('admin')
  return (
    <Page title={common.noLocation}>
      <Empty title={shell.noLocationText}>
        {isOperator && (
          <Link to="/ops" search={{ dialog: 'new' }}>
            {ops.makeLocation}
          </Link>
        )}
      </Empty>
    </Page>
  )
}
