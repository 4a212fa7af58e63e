import type { AdminKey, AdminLocationNamePage, ConsoleSession } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useLocationId, useSession } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Foreign, Id, legible } from '../../parts/text.tsx'
import type { Page as List } from './shapes.ts'

/** Rights in the words of the reader. */
export function useRights(): (scopes: readonly (keyof ReturnType<typeof useT>['shell']['scopes'])[]) => string {
  const { shell } = useT()
  return (scopes) => scopes.map((scope) => shell.scopes[scope]).join(', ')
}

/** What the location is called that is looked at, for the choice between it and all of them. */
export function useHereName(): string {
  const { ops: t } = useT()
  const here = useLocationId()
  const placeOf = usePlaces([here])
  const name = here === null ? undefined : placeOf(here)
  return name === undefined ? t.thisLocation : t.onlyAt(legible(name))
}

/** What locations are called, by their ids: those that the session does not know are asked for, 50 at a time. */
export function usePlaces(ids: readonly (string | null)[]): (id: string) => string | undefined {
  const { locations } = useSession()
  // Several locations of one chain have one name: the town tells them apart.
  const called = ({ name, city }: { name: string; city: string }) => (city === '' ? name : `${name}, ${city}`)
  const known = new Map(locations.map((location) => [location.id, called(location)]))
  const unknown = [...new Set(ids)].filter((id) => id !== null && !known.has(id))
  const call: Call = { path: '/v1/admin/locations/names', query: { ids: unknown.slice(0, 50).join(',') } }
  const read = useApi<AdminLocationNamePage>(unknown.length === 0 ? null : call)
  for (const location of read.data?.data.data ?? []) known.set(location.id, called(location))
  return (id) => known.get(id)
}

/** What something is called, where that is known; else the beginning of its id. */
export function Called({ id, name }: { id: string; name: string | undefined }) {
  return name === undefined ? <Id id={id} /> : <Foreign text={name} />
}

/** What keys and sessions are called, by their ids, as far as the newest of them go. */
export function useCalled(location: string | undefined): (id: string) => string | undefined {
  const keys = useApi<List<AdminKey>>({ path: '/v1/admin/keys/', query: { location, state: 'all' } })
  const sessions = useApi<List<ConsoleSession>>({ path: '/v1/console/sessions/', query: { state: 'all' } })
  const called = new Map<string, string>()
  for (const { id, name, hint } of keys.data?.data.data ?? []) called.set(id, name === '' ? `${hint}…` : name)
  for (const { id, name } of sessions.data?.data.data ?? []) if (name !== '') called.set(id, name)
  return (id) => called.get(id)
}
