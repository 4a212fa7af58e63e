import { useEffect, useRef, useSyncExternalStore } from 'react'

let said = ''
const listeners = new Set<() => void>()

/** Announces a text to screen readers, politely. */
export function announce(text: string): void {
  said = text
  for (const listener of listeners) listener()
}

/** Shortest interval between announcements of changing figures: otherwise a screen reader would read nothing else. */
const figuresMs = 5000

let figuresAgainAt = 0

/** Announces changed figures; not the first ones, which are read with the screen. */
export function useAnnounced(text: string): void {
  const last = useRef(text)
  useEffect(() => {
    if (last.current === text) return undefined
    const timer = setTimeout(
      () => {
        last.current = text
        figuresAgainAt = Date.now() + figuresMs
        announce(text)
      },
      Math.max(0, figuresAgainAt - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [text])
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => said)
  return (
    <div role="status" aria-live="polite" className="hidden">
      {text}
    </div>
  )
}
