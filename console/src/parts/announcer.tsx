import { useSyncExternalStore } from 'react'

let said = ''
const listeners = new Set<() => void>()

/** Says something to screen readers, politely. */
export function announce(text: string): void {
  said = text
  for (const listener of listeners) listener()
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
