import { Outlet, useRouterState, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo } from 'react'
import { SessionContext, useSessionQuery, type Session } from '../api/session.tsx'
import { PlaceProvider } from '../format/place.tsx'
import { LiveProvider } from '../live/live.tsx'
import { Announcer } from '../parts/announcer.tsx'
import { Failure, Loading } from '../parts/states.tsx'
import { Home } from './home.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

const keptLocation = 'tillgate-location'

/** The location of the address, else the one looked at last, else the first. */
function locationOf(session: Session, asked: string | undefined): string | null {
  if (asked !== undefined) return asked
  let last: string | null = null
  try {
    last = sessionStorage.getItem(keptLocation)
  } catch {
    // Storage may be closed to the page.
  }
  const isOurs = session.locations.some(({ id }) => id === last)
  return isOurs ? last : (session.locations[0]?.id ?? null)
}

function Seated({ session }: { session: Session }) {
  const { location: asked } = useSearch({ strict: false })
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const location = locationOf(session, asked)
  useEffect(() => {
    try {
      if (location !== null) sessionStorage.setItem(keptLocation, location)
    } catch {
      // Then the first one is shown after a reload.
    }
  }, [location])
  // A session of one location needs to name none.
  const named = session.allLocations || session.locations.length > 1 ? location : null
  const seat = useMemo(() => ({ session, location: named ?? location }), [session, named, location])
  return (
    <SessionContext value={seat}>
      <PlaceProvider>
        <LiveProvider key={location}>
          <Shell>
            <Suspense fallback={<Loading rows={10} />}>
              {/^\/?$/.test(pathname.replace(/.*\/console/, '')) ? <Home /> : <Outlet />}
            </Suspense>
          </Shell>
        </LiveProvider>
      </PlaceProvider>
    </SessionContext>
  )
}

/** Sign-in where nobody is signed in, at whatever address: afterwards one is where one wanted to go. */
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
