import { setTimeout as delay } from 'node:timers/promises'

/** Timeout of a condition: only one that is never true takes this long, even on a busy machine. */
export const patienceMs = 120_000

/**
 * Polls until the condition is true; rejects after `withinMs`. Meant for conditions without an event, such as rows of a
 * database. Polls less often over time, because polling takes the processor from the awaited work.
 */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = patienceMs,
): Promise<void> {
  const deadline = Date.now() + withinMs
  for (let waitMs = 10; !(await condition()); waitMs = Math.min(waitMs + 1, 50)) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(waitMs)
  }
}

/** Returns a promise and the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
