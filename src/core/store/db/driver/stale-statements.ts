import { randomBytes } from 'node:crypto'

/** Returns whether a connection has lost a named statement, or knows it from before the tables changed. */
export function isStale(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * Makes a comment to append to statements that are prepared again. A pooler that caches statements identifies them by
 * text, not by name, so with the same text servers would use the statement from before the tables changed.
 */
export const newMark = (): string => ` /* ${randomBytes(4).toString('hex')} */`
