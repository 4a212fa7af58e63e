import { TillgateError } from '#client'
import type { CliError } from '../../src/core/server/errors.ts'

/** Returns whether the status means that the server is unreachable or busy; 0 is no answer. */
export const isOutage = (status: number): boolean => status === 0 || status === 408 || status === 429 || status >= 500

/**
 * Returns the code, for scripts, of an error that the client threw: the code of the server, if it sent one. Undefined
 * for any other error.
 */
export function codeOf(error: unknown): CliError['code'] | undefined {
  if (!(error instanceof TillgateError)) return undefined
  return error.problem?.code ?? 'refused'
}
