import { setTimeout as delay } from 'node:timers/promises'

/** Only what will never happen takes so long, also on a machine that does much else. */
export const patienceMs = 120_000

/**
 * Asks again until the answer is yes; rejects after `withinMs`. For what no event tells of, such as rows of a database. What
 * takes longer is asked less often, for asking takes the processor from what is waited for.
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

/** A promise and the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
