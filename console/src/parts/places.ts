import type { LinkProps } from '@tanstack/react-router'
import { offers } from '../api/offers.ts'
import { useMay, useSession, type Scope } from '../api/session.tsx'
import type { Dictionary } from '../i18n/en.ts'

type Screen = {
  name: keyof Dictionary['screens']
  link: LinkProps
  /** The letter after `g` that opens it. */
  letter?: string
  /** The operation that the screen requires. */
  needs?: `/v1/${string}`
  /** The scope of its data, if it is not that of the group. */
  scope?: Scope | 'any'
  /** The screen has data of all recipients, which a key of one recipient may not read. */
  isOfAll?: true
}

/** An area of the navigation: its first screen, and further screens with details of the first. */
export type Place = { name: keyof Dictionary['places']; screens: readonly Screen[] }

type Group = { name: keyof Dictionary['shell']['groups']; scope: Scope; places: readonly Place[] }

const groups: readonly Group[] = [
  {
    name: 'restaurant',
    scope: 'read',
    places: [
      {
        name: 'home',
        screens: [
          { name: 'restaurants', link: { to: '/restaurants' }, letter: 'p', needs: '/v1/sales/locations' },
          { name: 'today', link: { to: '/today' }, letter: 't', needs: '/v1/sales/' },
        ],
      },
      {
        name: 'sales',
        screens: [
          { name: 'sales', link: { to: '/sales' }, letter: 's', needs: '/v1/sales/' },
          { name: 'deductions', link: { to: '/deductions' }, letter: 'v', needs: '/v1/deductions/' },
        ],
      },
      { name: 'orders', screens: [{ name: 'orders', link: { to: '/orders' }, letter: 'o' }] },
      {
        name: 'days',
        screens: [
          { name: 'days', link: { to: '/days' }, letter: 'd', needs: '/v1/business-days/' },
          { name: 'reports', link: { to: '/z' }, letter: 'z' },
          { name: 'integrity', link: { to: '/integrity' }, letter: 'i' },
        ],
      },
      {
        name: 'month',
        screens: [
          { name: 'month', link: { to: '/month' }, letter: 'm', needs: '/v1/sales/' },
          { name: 'closings', link: { to: '/closings' }, letter: 'f', needs: '/v1/closings/' },
        ],
      },
      {
        name: 'settings',
        screens: [
          { name: 'catalog', link: { to: '/catalog/$list', params: { list: 'products' } }, letter: 'c' },
          { name: 'accessLog', link: { to: '/log' }, letter: 'n', needs: '/v1/access/', isOfAll: true },
        ],
      },
    ],
  },
  {
    name: 'integrations',
    scope: 'webhooks',
    places: [
      { name: 'webhooks', screens: [{ name: 'webhooks', link: { to: '/webhooks' }, letter: 'w' }] },
      {
        name: 'api',
        screens: [
          { name: 'events', link: { to: '/events' }, letter: 'e', scope: 'read' },
          { name: 'key', link: { to: '/key' }, letter: 'k', needs: '/v1/keys/own', scope: 'any' },
        ],
      },
    ],
  },
  {
    name: 'operations',
    scope: 'admin',
    places: [
      {
        name: 'fleet',
        screens: [
          { name: 'overview', link: { to: '/ops' }, letter: 'a', needs: '/v1/admin/overview' },
          { name: 'tills', link: { to: '/ops/tills' }, needs: '/v1/devices/', scope: 'read' },
          { name: 'sources', link: { to: '/ops/sources' }, needs: '/v1/admin/sources/' },
        ],
      },
      {
        name: 'rejected',
        screens: [{ name: 'rejected', link: { to: '/ops/rejected' }, letter: 'r', needs: '/v1/admin/rejected/' }],
      },
      { name: 'access', screens: [{ name: 'keys', link: { to: '/ops/keys' }, needs: '/v1/admin/keys/' }] },
      { name: 'system', screens: [{ name: 'system', link: { to: '/ops/system' }, needs: '/v1/admin/system' }] },
    ],
  },
]

/** The areas for accountants, who see the month first, and do not see today's figures. */
const ofAccountants: readonly Place['name'][] = ['month', 'days', 'orders', 'sales', 'settings']

const screens = groups.flatMap(({ scope, places }) =>
  places.flatMap((place) => place.screens.map((screen) => ({ scope, ...screen }))),
)

/** Returns a function that finds why a screen may not be opened: the code of the server's refusal, or undefined. */
function useRefusalOf() {
  const may = useMay()
  const { recipientId } = useSession()
  return ({ name, scope, needs, isOfAll }: (typeof screens)[number]) => {
    if (scope !== 'any' && !may(scope)) return { name, code: 'scope_missing', scope }
    if (isOfAll && recipientId !== null) return { name, code: 'recipient_forbidden' }
    return needs === undefined || offers(needs) ? undefined : { name, code: 'route_not_found' }
  }
}

/** Returns why the session may not open the screen at a path, or one below it; undefined if it may. */
export function useRefusal(path: string) {
  const refusalOf = useRefusalOf()
  const screen = screens.find((one) => isAt(one, path))
  return screen && refusalOf(screen)
}

/** Returns the groups, with the areas in which the session may open a screen. */
export function useGroups(): readonly Group[] {
  const may = useMay()
  const refusalOf = useRefusalOf()
  const { locations, role } = useSession()
  const ordered = ({ name, places }: Group) =>
    role === 'accountant' && name === 'restaurant'
      ? ofAccountants.flatMap((one) => places.filter((place) => place.name === one))
      : places
  return groups
    .filter(({ scope }) => may(scope))
    .map((group) => ({
      ...group,
      places: ordered(group)
        .map((place) => ({
          ...place,
          screens: place.screens.filter(
            (screen) =>
              (screen.name !== 'restaurants' || locations.length > 1) &&
              refusalOf({ scope: group.scope, ...screen }) === undefined,
          ),
        }))
        .filter(({ screens: shown }) => shown.length > 0),
    }))
    .filter(({ places }) => places.length > 0)
}

export const useScreens = (): readonly Screen[] =>
  useGroups().flatMap(({ places }) => places.flatMap((place) => place.screens))

/** Whether a path is that of a screen, or of one below it such as an order of the list. */
export function isAt({ link }: Pick<Screen, 'link'>, pathname: string): boolean {
  const path = pathname.replace(/.*\/console(?=\/)/, '').replace(/(.)\/$/, '$1')
  const to = String(link.to).replace('/$list', '')
  return path === to || (to !== '/ops' && path.startsWith(`${to}/`))
}
