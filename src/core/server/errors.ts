import type { ProblemCode } from '../contract/errors/errors.ts'
import type { CliCode } from '../cli-codes.ts'

/** Ends a command with exit code 2. The message is one line, or one for each of `faults`; `code` is for scripts. */
export class CliError extends Error {
  readonly code: CliCode | ProblemCode
  readonly faults: readonly string[]

  constructor(
    code: CliCode | ProblemCode,
    message: string,
    { faults = [message], ...options }: ErrorOptions & { faults?: readonly string[] } = {},
  ) {
    super(message, options)
    this.code = code
    this.faults = faults
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
