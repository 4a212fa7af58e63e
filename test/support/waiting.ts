import { setTimeout as delay } from 'node:timers/promises'

/** Only what will never happen takes so long, also on a machine that does much else. */
export const patienceMs = 60_000

/** Asks again until the answer is yes; rejects after `withinMs`. For what no event tells of, such as rows of a database. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = patienceMs,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(10)
  }
}

/** A promise and the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
