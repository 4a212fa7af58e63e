import { CommanderError } from 'commander'
import type { AppError, ProblemCode } from '../../contract/errors/errors.ts'
import type { CliCode } from '../../cli-codes.ts'
import { CliError } from '../../server/errors.ts'
import { jsonLine, oneLine } from './output.ts'

/** The exit code. 0: success. 1: the command ran, and its result is negative. 2: wrong usage, or the command failed. */
export type ExitCode = 0 | 1 | 2

type Explained = { code: CliCode | ProblemCode; lines: readonly string[] }

/** Codes by class name. The classes themselves are not imported, because `--help` must not load the database. */
const codesByClass: Record<string, CliCode> = {
  ConfigInvalid: 'config_invalid',
  DatabaseTooNew: 'database_too_new',
  DatabaseIsWorker: 'database_is_worker',
  DatabaseOfOthers: 'database_error',
  DatabaseHidesRows: 'database_error',
  DatabaseOfAnotherLineage: 'database_other_line',
  DocumentsArchived: 'documents_aside',
  EmbeddedDatabaseError: 'embedded_database',
}

/** SQLSTATEs and codes of Tillgate's driver for a database that became unavailable. */
const gone = /^(08...|57P0[1-5]|53300|CONNECTION_(CLOSED|REFUSED)|DEADLINE_PASSED|COMMIT_REFUSED)$/

/** The form of a SQLSTATE; codes of the operating system (`EPIPE`) begin differently. */
const sqlState = /^[0-9FHPX][0-9A-Z]{4}$/

/** Returns the code for an error of the database, whatever the driver; undefined for other errors. */
function databaseCode(error: Error): CliCode | undefined {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return undefined
  return gone.test(code) ? 'database_unavailable' : sqlState.test(code) ? 'database_error' : undefined
}

/** Advice for an operator about an error that the API also returns. */
const hints: Partial<Record<ProblemCode, string>> = {
  location_not_found: 'see tillgate location list',
  location_inactive: 'run tillgate location activate <id> first',
  key_not_found: 'see tillgate key list',
}

/** Explains an error of the API, with its code. */
function explainProblem({ code, message }: { code: ProblemCode; message: string }): Explained {
  const hint = hints[code]
  return { code, lines: [hint === undefined ? message : `${message}: ${hint}`] }
}

function codeOf(error: Error): CliCode | undefined {
  const { name } = error.constructor
  if (name === 'BackupError') return (error as Error & { code: CliCode }).code
  return codesByClass[name] ?? databaseCode(error)
}

function explain(error: unknown): Explained {
  if (error instanceof CliError) return { code: error.code, lines: error.faults }
  if (error instanceof CommanderError) {
    return { code: 'usage', lines: [error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')] }
  }
  if (!(error instanceof Error)) return { code: 'internal_error', lines: [String(error)] }
  if (error.constructor.name === 'AppError') return explainProblem(error as AppError)
  const code = codeOf(error)
  if (code === undefined) {
    return { code: 'internal_error', lines: [`${error.message} (TILLGATE_DEBUG=1 shows where it happened)`] }
  }
  const { faults } = error as { faults?: string[] }
  return { code, lines: faults ?? [error.message] }
}

/**
 * Reports an error on stderr: a line for each fault, or with `--json` one object. With TILLGATE_DEBUG=1 it adds the
 * stack. Texts from servers and files cannot control the terminal or add lines.
 */
export function reportError(error: unknown, json: boolean): void {
  const { code, lines } = explain(error)
  const text = json
    ? jsonLine({ error: { code, message: lines.join('; ') } })
    : lines.map((line) => `error: ${oneLine(line)}`).join('\n')
  process.stderr.write(`${text}\n`)
  if (process.env['TILLGATE_DEBUG'] === '1' && error instanceof Error) {
    for (let at: unknown = error; at instanceof Error; at = at.cause) process.stderr.write(`${at.stack}\n`)
  }
}
