import { Navigate } from '@tanstack/react-router'
import { useSession } from '../api/session.tsx'
import { useGroups } from '../parts/places.ts'
import { NoScreen } from './no-screen.tsx'

/** Opens the first area of a role, or says whom to ask if the session may open none. */
export function Home() {
  const { role, allLocations, locations } = useSession()
  const groups = useGroups()
  const first =
    allLocations || locations.length === 0 ? 'operations' : role === 'integrator' ? 'integrations' : 'restaurant'
  const { places } = groups.find(({ name }) => name === first) ?? groups[0] ?? { places: [] }
  const link = places[0]?.screens[0]?.link
  return link === undefined ? <NoScreen /> : <Navigate {...link} replace />
}
