import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { setOffers } from './offers.ts'
import { Problem } from './problem.ts'
import { ask, forgetAnswers, keepPageSecret } from './request.ts'

export type Scope = 'read' | 'webhooks' | 'ingest' | 'books' | 'admin'

export type SessionLocation = {
  id: string
  name: string
  city: string
  timeZone: string
  currency: string
  dayStartsAt: string
}

/** The signed-in session, as `GET /console/api/session` returns it. */
export type Session = {
  id: string
  kind: 'operator' | 'key' | 'link'
  name: string
  role: string | null
  scopes: Scope[]
  recipientId: string | null
  /** Whether this is an operator of the installation; then `locations` has only the first 50 locations. */
  allLocations: boolean
  locations: SessionLocation[]
  createdAt: string
  expiresAt: string
  /** Until when the session can be renewed, or resumed with a passkey; null if not allowed. */
  renewableUntil: string | null
  returnUrl: string | null
  server: { version: string; docs: boolean; baseUrl: string; operations: string[] }
}

const path = '/session'

export const sessionKey = ['session']

/** Key of the cached fact that this browser's session has ended: by age, by a user, or as its key or link ended. */
const endedKey = [...sessionKey, 'ended']

export const useHasEnded = (): boolean => useQueryClient().getQueryData(endedKey) === true

/** Queries the session; the data is null if nobody is signed in. */
export function useSessionQuery() {
  const queries = useQueryClient()
  return useQuery<Session | null, Problem>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      try {
        const response = await ask({ path, signal })
        const session = (await response.json()) as Session
        setOffers(session.server.operations)
        return session
      } catch (error) {
        if (error instanceof Problem && error.status === 401) {
          const had = queries.getQueryData<Session | null>(sessionKey)
          queries.setQueryData(endedKey, Boolean(had) || error.code === 'session_ended')
          return null
        }
        throw error
      }
    },
    refetchInterval: ({ state }) => state.error?.againMs ?? false,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Deletes all cached data except the session, which is on screen: the next session may see less. */
function forget(queries: QueryClient): void {
  forgetAnswers()
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

export type Credential = { code: string } | { key: string }

/** Stores the session that the server returned. */
export function useEnter() {
  const queries = useQueryClient()
  return async (response: Response): Promise<void> => {
    const { pageSecret, ...session } = (await response.json()) as Session & { pageSecret: string }
    keepPageSecret(pageSecret)
    setOffers(session.server.operations)
    forget(queries)
    queries.setQueryData(sessionKey, session)
    queries.setQueryData(endedKey, false)
  }
}

export function useSignIn() {
  const enter = useEnter()
  return async (credential: Credential): Promise<void> => enter(await ask({ path, method: 'POST', json: credential }))
}

export function useSignOut() {
  const queries = useQueryClient()
  return async (): Promise<void> => {
    await ask({ path, method: 'DELETE' })
    keepPageSecret(null)
    queries.setQueryData(endedKey, false)
    queries.setQueryData(sessionKey, null)
    forget(queries)
  }
}

type Seat = { session: Session; location: string | null }

export const SessionContext = createContext<Seat | null>(null)

function useSeat(): Seat {
  const seat = useContext(SessionContext)
  if (seat === null) throw new Error('outside of a session')
  return seat
}

export const useSession = (): Session => useSeat().session

/** Returns the id of the selected location; null if the session has none yet. */
export const useLocationId = (): string | null => useSeat().location

/** Whether the session has a scope at its location; before the first location exists, only operators have any. */
export function useMay(): (scope: Scope) => boolean {
  const { session, location } = useSeat()
  return (scope) => session.scopes.includes(scope) && (scope === 'admin' || location !== null)
}

export const useScope = (scope: Scope): boolean => useMay()(scope)
