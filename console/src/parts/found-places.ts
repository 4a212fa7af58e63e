import type { AdminLocationName, AdminLocationNamePage } from '@tillgate/client'
import { useLocationId, useScope, useSession } from '../api/session.tsx'
import { useApi } from '../api/use-api.ts'

export type FoundPlace = Pick<AdminLocationName, 'id' | 'name' | 'city'>

/** Returns a text without accents and capitals. */
export const fold = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Finds locations by a text in their name, city or id: among those of the session, or by a request for an operator, who
 * may have more. `isMore`: there are more matches, so the text should be longer.
 */
export function useFoundPlaces(
  q: string,
  { size, isAsked = true }: { size: number; isAsked?: boolean },
): { places: readonly FoundPlace[]; isMore: boolean; isFetching: boolean } {
  const { locations } = useSession()
  const isOperator = useScope('admin')
  const asked = useApi<AdminLocationNamePage>(
    isOperator && isAsked ? { path: '/v1/admin/locations/names', query: { q: q.slice(0, 100), size } } : null,
  )
  if (!isAsked) return { places: [], isMore: false, isFetching: false }
  if (isOperator) {
    const { data = [], meta } = asked.data?.data ?? {}
    return { places: data, isMore: (meta?.next ?? null) !== null, isFetching: asked.isFetching }
  }
  const wanted = fold(q)
  const places = locations.filter(({ id, name, city }) => [id, name, city].some((text) => fold(text).includes(wanted)))
  return { places: places.slice(0, size), isMore: places.length > size, isFetching: false }
}

/** Returns the selected location. An operator may have more than the session lists, so it is requested. */
export function useHere(): FoundPlace | undefined {
  const { locations } = useSession()
  const id = useLocationId()
  const isOperator = useScope('admin')
  const known = locations.find((place) => place.id === id)
  const isAsked = known === undefined && isOperator && id !== null
  const asked = useApi<AdminLocationNamePage>(
    isAsked ? { path: '/v1/admin/locations/names', query: { ids: id } } : null,
  )
  return known ?? asked.data?.data.data[0]
}
