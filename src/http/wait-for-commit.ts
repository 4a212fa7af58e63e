import type { Hints } from '../store/hints.ts'

/** Hints can be lost, so a reader that waits looks again after this many milliseconds. */
const lookEveryMs = 1_000

/**
 * Begins to wait for a commit of a location; called before reading, so that one in between is not missed. `arrived`
 * resolves at a hint, after a second, or at the deadline.
 */
export function waitForNews(
  hints: Hints,
  locationId: string,
  deadlineMs: number,
): { arrived: Promise<void>; cancel: () => void } {
  let cancel = () => {}
  const arrived = new Promise<void>((resolve) => {
    const wait = Math.max(Math.min(lookEveryMs, deadlineMs - Date.now()), 0)
    const timer = setTimeout(() => cancel(), wait)
    const unsubscribe = hints.subscribe({
      committed: (id) => {
        if (id === locationId) cancel()
      },
    })
    cancel = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
  })
  return { arrived, cancel }
}
