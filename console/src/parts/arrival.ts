import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { announce } from './announcer.tsx'

/** The screen that was arrived at last; null until the first one, which has the focus of any page that was loaded. */
let shown: string | null = null

/**
 * A new screen is announced and its heading gets the focus, as a page that was loaded would. At the moment it is there and not
 * some time later: by then somebody at the keyboard is further on, and would be thrown back.
 */
export function useArrival(): void {
  const pathname = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname })
  useEffect(() => {
    const isFirst = shown === null
    if (shown === pathname) return
    shown = pathname
    if (isFirst) return
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    announce(document.title)
  }, [pathname])
}
