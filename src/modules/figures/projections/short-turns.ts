import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest turn of the event loop in milliseconds: a push and its delivery wait for several turns. */
const turnMs = 1

/**
 * Does something with each of many, and gives the event loop to others when that has taken a millisecond. `nowMs` is a clock that is
 * never set.
 */
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

/** How long work gives way to others, in milliseconds: twice what a read of one order takes. */
const giveWayMs = 1

/**
 * Resolves in a later turn of the event loop: the next one, or, where others are under way, the first one without them, a millisecond later
 * at most. A read needs several turns, and a part of a file would be in each of them.
 */
export async function giveWay(areOthersUnderWay: () => boolean, nowMs = () => performance.now()): Promise<void> {
  const untilMs = nowMs() + giveWayMs
  do await nextTurn()
  while (areOthersUnderWay() && nowMs() < untilMs)
}
