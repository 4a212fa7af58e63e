import type { AdminKey, ConsoleSession } from '@tillgate/client'
import { useSession } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Foreign, Id } from '../../parts/text.tsx'
import type { Page as List } from './shapes.ts'

/** Rights in the words of the reader. */
export function useRights(): (scopes: readonly (keyof ReturnType<typeof useT>['shell']['scopes'])[]) => string {
  const { shell } = useT()
  return (scopes) => scopes.map((scope) => shell.scopes[scope]).join(', ')
}

/** The name of a location, where the session knows it: an operator's knows the first 50. */
export function PlaceName({ id }: { id: string }) {
  const { locations } = useSession()
  const name = locations.find((place) => place.id === id)?.name
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
