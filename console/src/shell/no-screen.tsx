import { Link } from '@tanstack/react-router'
import { useLocationId, useScope } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { Facts, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { SignedIn } from '../parts/who.tsx'

/** Replaces a screen that needs a location or a right which the session lacks: says what to do, and whom to ask. */
export function NoScreen() {
  const { shell, ops, common } = useT()
  const isOperator = useScope('admin')
  const hasLocation = useLocationId() !== null
  if (isOperator) {
    return (
      <Page title={common.noLocation}>
        <Empty title={shell.noLocationText}>
          <Link to="/ops" search={{ dialog: 'new' }}>
            {ops.makeLocation}
          </Link>
        </Empty>
      </Page>
    )
  }
  return (
    <Page title={hasLocation ? shell.noScreen : shell.noRestaurant}>
      <p>{hasLocation ? shell.noScreenText(shell.scopes.read) : shell.noRestaurantText}</p>
      <Facts>
        <SignedIn />
      </Facts>
    </Page>
  )
}
