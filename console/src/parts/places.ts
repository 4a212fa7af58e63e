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
}

/** A place has a first screen, and further screens with the details of the first. */
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
          { name: 'restaurants', link: { to: '/restaurants' }, letter: 'p' },
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
          { name: 'accessLog', link: { to: '/log' }, letter: 'n', needs: '/v1/access/' },
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

/** The places of accountants, who see the month first. Only others see today's figures. */
const ofAccountants: readonly Place['name'][] = ['month', 'days', 'orders', 'sales', 'settings']

/**
 * The groups, with the places for which the session has a right and the server an operation; places without a screen
 * are omitted.
 */
export function useGroups(): readonly Group[] {
  const may = useMay()
  const { locations, recipientId, role } = useSession()
  const isOfSeveral = locations.length > 1
  const isShown = ({ name, needs, scope = 'any' }: Screen) =>
    (name !== 'restaurants' || (isOfSeveral && offers('/v1/sales/locations'))) &&
    // A key of one recipient must not see the reads of others.
    (name !== 'accessLog' || recipientId === null) &&
    (scope === 'any' || may(scope)) &&
    (needs === undefined || offers(needs))
  const ordered = ({ name, places }: Group) =>
    role === 'accountant' && name === 'restaurant'
      ? ofAccountants.flatMap((one) => places.filter((place) => place.name === one))
      : places
  return groups
    .filter(({ scope }) => may(scope))
    .map((group) => ({
      ...group,
      places: ordered(group)
        .map((place) => ({ ...place, screens: place.screens.filter(isShown) }))
        .filter(({ screens }) => screens.length > 0),
    }))
    .filter(({ places }) => places.length > 0)
}

export const useScreens = (): readonly Screen[] =>
  useGroups().flatMap(({ places }) => places.flatMap(({ screens }) => screens))

/** Whether an address is that of a screen, or of one below it such as an order of the list. */
export function isAt({ link }: Pick<Screen, 'link'>, pathname: string): boolean {
  const path = pathname.replace(/.*\/console(?=\/)/, '').replace(/(.)\/$/, '$1')
  const to = String(link.to).replace('/$list', '')
  return path === to || (to !== '/ops' && path.startsWith(`${to}/`))
}

/** The screen at an address, and its scope, if the session does not have it. */
export function useForbidden(pathname: string) {
  const may = useMay()
  return groups.flatMap(({ scope: ofGroup, places }) =>
    places
      .flatMap(({ screens }) => screens)
      .flatMap(({ name, link, scope = ofGroup }) =>
        scope === 'any' || may(scope) || !isAt({ link }, pathname) ? [] : [{ name, scope }],
      ),
  )[0]
}
