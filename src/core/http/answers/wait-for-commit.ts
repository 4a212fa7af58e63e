import type { Hints } from '../../store/db/hints.ts'

/** Hints can be lost, so a waiting reader reads again after this many milliseconds. */
const lookEveryMs = 1_000

/**
 * Starts waiting for a commit of a location. Call it before reading, so that no commit in between is missed. `arrived`
 * resolves with true at a hint, and with false after a second or at the deadline.
 */
export function waitForNews(
  hints: Hints,
  locationId: string,
  deadlineMs: number,
): { arrived: Promise<boolean>; cancel: () => void } {
  let cancel = () => {}
  const arrived = new Promise<boolean>((resolve) => {
    const wait = Math.max(Math.min(lookEveryMs, deadlineMs - Date.now()), 0)
    const timer = setTimeout(() => cancel(), wait)
    const unsubscribe = hints.subscribe({
      committed: (id) => {
        if (id === locationId) end(true)
      },
    })
    const end = (isHint: boolean) => {
      clearTimeout(timer)
      unsubscribe()
      resolve(isHint)
    }
    cancel = () => end(false)
  })
  return { arrived, cancel }
}
