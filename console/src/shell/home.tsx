import { Navigate } from '@tanstack/react-router'
import { offers } from '../api/offers.ts'
import { useSession } from '../api/session.tsx'

/** The first screen that the session may see. */
export function Home() {
  const { scopes, allLocations, locations } = useSession()
  const hasOperations = scopes.includes('admin') && offers('/v1/admin/overview')
  if (hasOperations && (allLocations || locations.length === 0)) return <Navigate to="/ops" replace />
  if (scopes.includes('read')) return <Navigate to="/today" replace />
  if (scopes.includes('webhooks')) return <Navigate to="/webhooks" replace />
  return <Navigate to="/key" replace />
}
