import { Link, useRouterState } from '@tanstack/react-router'
import { useId } from 'react'
import { useSession } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { useRequests } from '../parts/copy.tsx'
import tabs from '../parts/tabs.module.css'
import { isAt, useGroups } from '../parts/places.ts'
import styles from './shell.module.css'

const usePathname = () => useRouterState({ select: ({ location }) => location.pathname })

/** The screens of the selected area, if it has several. */
export function PlaceTabs() {
  const { places: names, screens: titles } = useT()
  const pathname = usePathname()
  const places = useGroups().flatMap(({ places: of }) => of)
  const place = places.find(({ screens }) => screens.some((screen) => isAt(screen, pathname)))
  if (place === undefined || place.screens.length < 2) return null
  return (
    <nav aria-label={names[place.name]} className={`${tabs.tabs} ${tabs.ofPlace}`}>
      {place.screens.map((screen) => (
        <Link
          key={screen.name}
          {...screen.link}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={isAt(screen, pathname) ? 'page' : undefined}
          className={tabs.tab}
        >
          {titles[screen.name]}
        </Link>
      ))}
    </nav>
  )
}

export function Navigation({ onGo }: { onGo?: () => void }) {
  const { shell, places: names } = useT()
  const { server } = useSession()
  const pathname = usePathname()
  const id = useId()
  const groups = useGroups()
  const requests = useRequests()
  return (
    <nav className={styles.nav} aria-label={shell.navigation}>
      {groups.map((group) => (
        <div key={group.name} className={styles.group}>
          {groups.length > 1 && (
            <p className={styles.groupName} id={`${id}${group.name}`}>
              {shell.groups[group.name]}
            </p>
          )}
          <ul {...(groups.length > 1 ? { 'aria-labelledby': `${id}${group.name}` } : {})}>
            {group.places.map(({ name, screens }) => (
              <li key={name}>
                <Link
                  {...screens[0]?.link}
                  activeOptions={{ exact: screens[0]?.link.to === '/ops', includeSearch: false }}
                  className={styles.navLink}
                  data-here={screens.some((screen) => isAt(screen, pathname))}
                  {...(onGo === undefined ? {} : { onClick: onGo })}
                >
                  {names[name]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {server.docs && requests !== null && (
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
