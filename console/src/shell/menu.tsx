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
import { ForeignLink } from '../parts/text.tsx'
import { SignedIn } from '../parts/who.tsx'
import { Icon } from './icon.tsx'
import { LanguageChoice, ThemeChoice } from './preferences.tsx'

/** The menu of the user: the session and when it ends, the settings of the console, and signing out. */
export function Menu({ onShortcuts }: { onShortcuts: () => void }) {
  const { shell, common } = useT()
  const format = useFormat()
  const session = useSession()
  const signOut = useSignOut()
  const requests = useRequests()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)} aria-haspopup="dialog" aria-label={shell.session}>
        <Icon path="M10 3.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 1 1 0-6.8M3.5 17c.9-3.3 3.4-4.8 6.5-4.8s5.6 1.5 6.5 4.8" />
      </Button>
      <Dialog title={shell.session} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Facts>
          <SignedIn />
          <Fact name={common.until}>{format.dateTime(session.expiresAt)}</Fact>
          <Fact name={shell.version}>{session.server.version}</Fact>
          <Fact name={common.zone}>{format.place.timeZone}</Fact>
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
        <p className="row">
          <Button
            onClick={() => {
              setOpen(false)
              onShortcuts()
            }}
          >
            {shell.shortcuts}
          </Button>
          <Button onClick={() => void signOut()}>{shell.signOut}</Button>
        </p>
      </Dialog>
    </>
  )
}
