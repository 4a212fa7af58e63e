import { Link, type LinkProps } from '@tanstack/react-router'
import { useId } from 'react'
import { offers } from '../api/offers.ts'
import { useScope, useSession, type Scope } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import type { Dictionary } from '../i18n/en.ts'
import styles from './shell.module.css'

type Screen = {
  name: keyof Dictionary['screens']
  link: LinkProps
  letter?: string
  /** The operation without which there is nothing to see. */
  needs?: `/v1/${string}`
}

type Group = { name: keyof Dictionary['shell']['groups']; scope: Scope | null; screens: readonly Screen[] }

/** What can be gone to, and the letter after `g` that goes there. */
export const groups: readonly Group[] = [
  {
    name: 'restaurant',
    scope: 'read',
    screens: [
      { name: 'restaurants', link: { to: '/restaurants' }, letter: 'p' },
      { name: 'today', link: { to: '/today' }, letter: 't' },
      { name: 'sales', link: { to: '/sales' }, letter: 's' },
      { name: 'orders', link: { to: '/orders' }, letter: 'o' },
      { name: 'reports', link: { to: '/z' }, letter: 'z' },
      { name: 'days', link: { to: '/days' }, letter: 'd', needs: '/v1/business-days/' },
      { name: 'month', link: { to: '/month' }, letter: 'm', needs: '/v1/e-reporting/' },
      { name: 'deductions', link: { to: '/deductions' }, letter: 'v', needs: '/v1/deductions/' },
      { name: 'catalog', link: { to: '/catalog/$list', params: { list: 'products' } }, letter: 'c' },
      { name: 'books', link: { to: '/books' }, letter: 'b', needs: '/v1/books/days/' },
      { name: 'closings', link: { to: '/closings' }, letter: 'f', needs: '/v1/closings/' },
      { name: 'integrity', link: { to: '/integrity' }, letter: 'i' },
      { name: 'accessLog', link: { to: '/log' }, letter: 'n', needs: '/v1/access/' },
    ],
  },
  {
    name: 'integrations',
    scope: 'webhooks',
    screens: [
      { name: 'webhooks', link: { to: '/webhooks' }, letter: 'w' },
      { name: 'events', link: { to: '/events' }, letter: 'e' },
      { name: 'key', link: { to: '/key' }, letter: 'k', needs: '/v1/keys/own' },
    ],
  },
  {
    name: 'operations',
    scope: 'admin',
    screens: [
      { name: 'overview', link: { to: '/ops' }, letter: 'a', needs: '/v1/admin/overview' },
      { name: 'locations', link: { to: '/ops/locations' }, letter: 'l', needs: '/v1/admin/locations/' },
      { name: 'tills', link: { to: '/ops/tills' }, needs: '/v1/devices/' },
      { name: 'sources', link: { to: '/ops/sources' }, needs: '/v1/admin/sources/' },
      { name: 'rejected', link: { to: '/ops/rejected' }, letter: 'r', needs: '/v1/admin/rejected/' },
      { name: 'allWebhooks', link: { to: '/ops/webhooks' }, needs: '/v1/admin/webhooks/' },
      { name: 'keys', link: { to: '/ops/keys' }, needs: '/v1/admin/keys/' },
      { name: 'system', link: { to: '/ops/system' }, needs: '/v1/admin/system' },
    ],
  },
]

/** What is read of a location, in groups that stand for another right. */
const ofReaders: ReadonlySet<string> = new Set<Screen['name']>(['events', 'tills'])

export function useGroups(): readonly Group[] {
  const may = {
    read: useScope('read'),
    webhooks: useScope('webhooks'),
    books: useScope('books'),
    admin: useScope('admin'),
    ingest: false,
  }
  const { locations, recipientId } = useSession()
  const isOfSeveral = locations.length > 1
  return groups
    .filter(({ scope }) => scope === null || may[scope])
    .map((group) => ({
      ...group,
      screens: group.screens.filter(
        ({ name, needs }) =>
          (name !== 'restaurants' || isOfSeveral) &&
          // A key of one recipient is not told what others read.
          (name !== 'accessLog' || recipientId === null) &&
          (!ofReaders.has(name) || may.read) &&
          (needs === undefined || offers(needs)),
      ),
    }))
    .filter(({ screens }) => screens.length > 0)
}

export function Navigation({ onGo }: { onGo?: () => void }) {
  const { shell, screens } = useT()
  const { server } = useSession()
  const id = useId()
  return (
    <nav className={styles.nav} aria-label={shell.navigation}>
      {useGroups().map((group) => (
        <div key={group.name} className={styles.group}>
          <p className={styles.groupName} id={`${id}${group.name}`}>
            {shell.groups[group.name]}
          </p>
          <ul aria-labelledby={`${id}${group.name}`}>
            {group.screens.map(({ name, link }) => (
              <li key={name}>
                <Link
                  {...link}
                  activeOptions={{ exact: link.to === '/ops', includeSearch: false }}
                  className={styles.navLink}
                  {...(onGo === undefined ? {} : { onClick: onGo })}
                >
                  {screens[name]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {server.docs && (
        <div className={styles.group}>
          <a
            className={styles.navLink}
            href={`${server.baseUrl.replace(/\/+$/, '')}/docs/`}
            target="_blank"
            rel="noreferrer noopener"
          >
            {shell.reference} ↗
          </a>
        </div>
      )}
    </nav>
  )
}
