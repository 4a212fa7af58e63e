import type { AdminLocationNamePage } from '@tillgate/client'
import { useLocationId, useSession } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { legible } from '../../parts/text.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Filter } from '../../parts/filters.tsx'

/** The choice between all locations and the selected one. */
export function HereFilter({ only }: { only: 'yes' | undefined }) {
  const { ops: t, common } = useT()
  const here = useLocationId()
  const name = usePlaces([here])(here ?? '')
  const change = useChange({ cursor: undefined })
  return (
    <Filter
      label={common.location}
      value={only}
      all={t.allLocations}
      choices={[['yes', name === undefined ? t.thisLocation : t.onlyAt(legible(name))]]}
      onChange={(value) => change({ only: value })}
    />
  )
}

/** Returns the names of locations by their ids; those that the session does not know are requested, 50 at a time. */
export function usePlaces(ids: readonly (string | null)[]): (id: string) => string | undefined {
  const { locations } = useSession()
  // Locations of one chain may share a name: the town distinguishes them.
  const called = ({ name, city }: { name: string; city: string }) => (city === '' ? name : `${name}, ${city}`)
  const known = new Map(locations.map((location) => [location.id, called(location)]))
  const unknown = [...new Set(ids)].filter((id) => id !== null && !known.has(id))
  const call: Call = { path: '/v1/admin/locations/names', query: { ids: unknown.slice(0, 50).join(',') } }
  const read = useApi<AdminLocationNamePage>(unknown.length === 0 ? null : call)
  for (const location of read.data?.data.data ?? []) known.set(location.id, called(location))
  return (id) => known.get(id)
}
