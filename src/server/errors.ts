import type { ProblemCode } from '../errors.ts'
import type { CliCode } from './cli-codes.ts'

/** What the user is told in one line; `code` is for scripts. It ends the command with exit code 2. */
export class CliError extends Error {
  readonly code: CliCode | ProblemCode

  constructor(code: CliCode | ProblemCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The user ended the command with a signal. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`)
    this.signal = signal
  }
}
