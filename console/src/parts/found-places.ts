import type { AdminLocationName, AdminLocationNamePage, Location } from '@tillgate/client'
import { useLocationId, useScope, useSession } from '../api/session.tsx'
import { useApi } from '../api/use-api.ts'

export type FoundPlace = Pick<AdminLocationName, 'id' | 'name' | 'city'>

/** A text without accents and capitals. */
export const fold = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Locations whose name, city or id has a text in it. Those of a session are known; whoever runs the installation has more than are told,
 * so the server looks for them. `isMore`: there are others, which more of the name would lead to.
 */
export function useFoundPlaces(
  q: string,
  { size, isAsked = true }: { size: number; isAsked?: boolean },
): { places: readonly FoundPlace[]; isMore: boolean; isFetching: boolean } {
  const { locations, allLocations } = useSession()
  const asked = useApi<AdminLocationNamePage>(
    allLocations && isAsked ? { path: '/v1/admin/locations/names', query: { q: q.slice(0, 100), size } } : null,
  )
  if (!isAsked) return { places: [], isMore: false, isFetching: false }
  if (allLocations) {
    const { data = [], meta } = asked.data?.data ?? {}
    return { places: data, isMore: (meta?.next ?? null) !== null, isFetching: asked.isFetching }
  }
  const wanted = fold(q)
  const places = locations.filter(({ id, name, city }) => [id, name, city].some((text) => fold(text).includes(wanted)))
  return { places: places.slice(0, size), isMore: places.length > size, isFetching: false }
}

/** The location that is looked at: of those of the session, or asked for where an operator has more than are told. */
export function useHere(): FoundPlace | undefined {
  const { locations } = useSession()
  const id = useLocationId()
  const reads = useScope('read')
  const known = locations.find((place) => place.id === id)
  const asked = useApi<Location>(known === undefined && reads && id !== null ? { path: '/v1/locations/own' } : null)
  return known ?? asked.data?.data
}
