import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession, useSignOut } from '../api/session.tsx'
import { useFormat } from '../parts/place.tsx'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { useRequests } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { checkClass } from '../parts/filters.tsx'
import { Fact, Facts } from '../parts/page.tsx'
import { Foreign, ForeignLink } from '../parts/text.tsx'
import { LanguageChoice, ThemeChoice } from './preferences.tsx'

/** The signed-in user, the end of the session, and the settings of the console. */
export function Menu({ onShortcuts }: { onShortcuts: () => void }) {
  const { shell } = useT()
  const format = useFormat()
  const session = useSession()
  const signOut = useSignOut()
  const requests = useRequests()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)} aria-haspopup="dialog" aria-label={shell.session}>
        <svg
          width="20"
          height="20"
          viewBox="0 0 20 20"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.7"
        >
          <circle cx="10" cy="7" r="3.4" />
          <path d="M3.5 17c.9-3.3 3.4-4.8 6.5-4.8s5.600 1.500 6.500 4.800" strokeLinecap="round" />
        </svg>
      </Button>
      <Dialog title={shell.session} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Facts>
          <Fact name={shell.signedInAs}>
            <Foreign text={session.name} />
          </Fact>
          <Fact name={shell.rights}>{session.scopes.map((scope) => shell.scopes[scope]).join(', ')}</Fact>
          <Fact name={shell.until}>{format.dateTime(session.expiresAt)}</Fact>
          <Fact name={shell.version}>{session.server.version}</Fact>
          <Fact name={shell.zone}>{format.place.timeZone}</Fact>
        </Facts>
        <p>
          <Link to="/access" onClick={() => setOpen(false)}>
            {shell.access}
          </Link>
        </p>
        {session.returnUrl !== null && <ForeignLink url={session.returnUrl} />}
        <LanguageChoice />
        <ThemeChoice />
        {requests !== null && (
          <label className={checkClass}>
            <input type="checkbox" checked={requests.areShown} onChange={requests.toggle} />
            {shell.showRequests}
          </label>
        )}
        <p>
          <Button
            onClick={() => {
              setOpen(false)
              onShortcuts()
            }}
          >
            {shell.shortcuts}
          </Button>{' '}
          <Button onClick={() => void signOut()}>{shell.signOut}</Button>
        </p>
      </Dialog>
    </>
  )
}
