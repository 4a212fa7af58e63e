import { randomBytes } from 'node:crypto'

/** A connection does not know a named statement any more, or knows it as it was before the tables changed. */
export function isStale(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * A comment for the end of statements that are prepared again. A pooler that keeps statements takes the same text for the same
 * statement whatever its name is, so that servers would go on with the one from before the tables changed.
 */
export const newMark = (): string => ` /* ${randomBytes(4).toString('hex')} */`
