import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'
import { strikeOut } from '../domain/redaction/secrets.ts'
import { escapeSteering } from '../domain/documents/steering.ts'

export type LogLevel = NonNullable<Config['logLevel']>

/** This is the one logger of a process: the HTTP server, the delivery worker and the supervisor write through it. */
export type Log = Logger

let lost = 0

/** Counts a line that standard error did not take: its reader is gone, or the disk of its file is full. */
export function countLostLine(): void {
  lost += 1
}

/** How many lines this process could not write. */
export const lostLines = (): number => lost

/** People at a terminal read what serve prints; a supervisor's log takes more. */
export function chooseLogLevel(config: Pick<Config, 'logLevel'>): LogLevel {
  return config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info')
}

/**
 * Writes lines of JSON with the level as a word and the time in ISO 8601. Every line is searched for keys, signing
 * secrets and passwords before it leaves: what happened to put one into a message does not put it into the log. Nothing
 * that a caller or a receiver wrote steers the terminal that shows it.
 */
export function createLog(level: LogLevel, stream: DestinationStream = process.stderr): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => escapeSteering(strikeOut(line)) },
    },
    stream,
  )
}
