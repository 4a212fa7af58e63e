import { Navigate } from '@tanstack/react-router'
import { useSession } from '../api/session.tsx'

/** The first screen that the session may see. */
export function Home() {
  const { scopes, allLocations, locations } = useSession()
  if (scopes.includes('admin') && (allLocations || locations.length === 0)) return <Navigate to="/ops" replace />
  if (scopes.includes('read')) return <Navigate to="/today" replace />
  if (scopes.includes('webhooks')) return <Navigate to="/webhooks" replace />
  return <Navigate to="/key" replace />
}
