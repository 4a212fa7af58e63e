import { fstatSync } from 'node:fs'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'
import { strikeOut } from '../domain/redaction/secrets.ts'
import { escapeSteering } from '../domain/documents/steering.ts'

export type LogLevel = NonNullable<Config['logLevel']>

/** This is the one logger of a process: the HTTP server, the delivery worker and the supervisor write through it. */
export type Log = Logger

/** People at a terminal read what serve prints; a supervisor's log takes more. */
export function chooseLogLevel(config: Pick<Config, 'logLevel'>): LogLevel {
  return config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info')
}

/** The priorities of sd-daemon(3), by which `journalctl -p` chooses. */
const priorities: Record<string, number> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

const levelOf = /^\{"level":"(\w+)"/

/** Whether standard error is the journal of systemd, which says by `JOURNAL_STREAM` which file that is. */
function isJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  try {
    const { dev, ino } = fstatSync(2)
    return env['JOURNAL_STREAM'] === `${dev}:${ino}`
  } catch {
    return false
  }
}

/** Puts the priority of a line before it, which the journal takes off again. */
export function withPriority(line: string): string {
  const priority = priorities[levelOf.exec(line)?.[1] ?? '']
  return priority === undefined ? line : `<${priority}>${line}`
}

/**
 * Writes lines of JSON with the level as a word and the time in ISO 8601. Every line is searched for keys, signing
 * secrets and passwords before it leaves: what happened to put one into a message does not put it into the log. Nothing
 * that a caller or a receiver wrote steers the terminal that shows it.
 */
export function createLog(level: LogLevel, stream: DestinationStream = process.stderr): Log {
  const prefix = stream === process.stderr && isJournal() ? withPriority : (line: string) => line
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => prefix(escapeSteering(strikeOut(line))) },
    },
    stream,
  )
}
