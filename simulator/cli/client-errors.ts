import { TillgateError } from '#client'
import type { CliError } from '../../src/core/server/errors.ts'

/** Returns whether the status means that the server is unreachable or busy; 0 is no answer. */
export const isOutage = (status: number): boolean => status === 0 || status === 408 || status === 429 || status >= 500

/**
 * Returns the code that scripts get for an error of the client: the code that the server sent, or `refused` if it sent
 * none. Undefined if the client did not throw the error.
 */
export function codeOf(error: unknown): CliError['code'] | undefined {
  if (!(error instanceof TillgateError)) return undefined
  return error.problem?.code ?? 'refused'
}
