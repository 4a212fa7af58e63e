import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { announce } from './announcer.tsx'

/** The last screen shown. Null before the first one, where loading the page has already set the focus. */
let shown: string | null = null

/**
 * Announces a new screen and moves the focus to its heading, as loading a page would. After a delay, a keyboard user
 * would have moved on, and would lose the position.
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
