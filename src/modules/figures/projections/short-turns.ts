import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest turn of the event loop in milliseconds: a push and its delivery wait for several turns. */
const turnMs = 1

/** Processes many items, and yields the event loop after each millisecond. `nowMs` is a monotonic clock. */
export async function inShortTurns<T>(
  all: Iterable<T>,
  work: (one: T) => void,
  nowMs = () => performance.now(),
): Promise<void> {
  let beganMs = nowMs()
  for (const one of all) {
    work(one)
    if (nowMs() - beganMs < turnMs) continue
    await nextTurn()
    beganMs = nowMs()
  }
}

/** How long work yields to others, in milliseconds: twice the time of reading one order. */
const giveWayMs = 1

/**
 * Yields to other work until the next turn of the event loop. While other requests are under way, it resolves in the
 * first turn without them, after at most a millisecond: otherwise every turn of such a request would also include work
 * on a file.
 */
export async function giveWay(areOthersUnderWay: () => boolean, nowMs = () => performance.now()): Promise<void> {
  const untilMs = nowMs() + giveWayMs
  do await nextTurn()
  while (areOthersUnderWay() && nowMs() < untilMs)
}
