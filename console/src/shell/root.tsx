import { Outlet, useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo } from 'react'
import { Problem } from '../api/problem.ts'
import { SessionContext, useSessionQuery, type Session } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { PlaceProvider } from '../parts/place.tsx'
import { LiveProvider } from '../live/live.tsx'
import { Announcer } from '../parts/announcer.tsx'
import { Page } from '../parts/page.tsx'
import { Failure, Loading } from '../parts/states.tsx'
import { readStored, store } from '../stored.ts'
import { Home } from './home.tsx'
import { NoScreen } from './no-screen.tsx'
import { useRefusal } from '../parts/places.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

const keptLocation = 'tillgate-location'

/** Returns the location in the URL, else the last selected one, else the first. */
function locationOf(session: Session, asked: string | undefined): string | null {
  if (asked !== undefined) return asked
  const last = readStored(keptLocation, 'sessionStorage')
  // An operator has more locations than the session lists.
  const isOurs = last !== null && (session.allLocations || session.locations.some(({ id }) => id === last))
  return isOurs ? last : (session.locations[0]?.id ?? null)
}

/** Whether a screen has content without a location: the screen of tills has none. */
const isOfAll = (pathname: string) => /\/ops(\/(?!tills)|$)|\/access$/.test(pathname)

/** The screen, or why the session may not see it: then nothing is requested, and no action is offered. */
function Permitted() {
  const { screens, shell, common } = useT()
  // The path of the screen that is shown; the URL may already be that of the next one.
  const refusal = useRefusal(useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname ?? '' }))
  if (refusal === undefined) return <Outlet />
  const { name, code, scope } = refusal
  return (
    <Page title={screens[name]}>
      <Failure problem={new Problem({ code }, 403, null)} />
      {scope !== undefined && <p>{common.named(common.rights, shell.scopes[scope])}</p>}
    </Page>
  )
}

function Seated({ session }: { session: Session }) {
  const { location: asked } = useSearch({ strict: false })
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const location = locationOf(session, asked)
  useEffect(() => {
    if (location !== null) store(keptLocation, location, 'sessionStorage')
  }, [location])
  const isHome = /^\/?$/.test(pathname.replace(/.*\/console/, ''))
  // A bookmarked URL must always mean the same: it names the location, if there are several.
  const isUnnamed = asked === undefined && location !== null && (session.allLocations || session.locations.length > 1)
  const navigate = useNavigate()
  useEffect(() => {
    if (isUnnamed && !isHome)
      void navigate({ to: '.', search: (before: object) => ({ ...before, location }), replace: true })
  }, [isUnnamed, isHome, location, navigate])
  // A key of the installation has no location, but gives access to all screens of operators.
  const lacksLocation = location === null && (session.allLocations || !session.scopes.includes('admin'))
  const seat = useMemo(() => ({ session, location }), [session, location])
  return (
    <SessionContext value={seat}>
      <PlaceProvider>
        <LiveProvider key={location}>
          <Shell>
            <Suspense fallback={<Loading rows={10} />}>
              {isHome ? <Home /> : lacksLocation && !isOfAll(pathname) ? <NoScreen /> : <Permitted />}
            </Suspense>
          </Shell>
        </LiveProvider>
      </PlaceProvider>
    </SessionContext>
  )
}

/** Shows the sign-in at any URL without a session; afterwards the user is at the requested screen. */
export function Root() {
  const session = useSessionQuery()
  return (
    <>
      <Announcer />
      {session.isPending && <Loading rows={8} />}
      {session.data === undefined && session.error !== null && (
        <main style={{ padding: '2rem', maxInlineSize: '40rem', marginInline: 'auto' }}>
          <Failure problem={session.error} retry={() => void session.refetch()} />
        </main>
      )}
      {session.data === null && <SignIn />}
      {session.data && <Seated key={session.data.id} session={session.data} />}
    </>
  )
}
