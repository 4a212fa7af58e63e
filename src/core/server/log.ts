import { fstatSync } from 'node:fs'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'
import { strikeOut } from '../domain/redaction/secrets.ts'
import { escapeSteering } from '../domain/documents/steering.ts'

export type LogLevel = NonNullable<Config['logLevel']>

/** The one logger of a process: the HTTP server, the delivery worker and the supervisor write to it. */
export type Log = Logger

/** Returns the log level. By default, serve logs less on a terminal than to a supervisor. */
export function chooseLogLevel(config: Pick<Config, 'logLevel'>): LogLevel {
  return config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info')
}

/** The priorities of sd-daemon(3), which `journalctl -p` filters by. */
const priorities: Record<string, number> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

const levelOf = /^\{"level":"(\w+)"/

/** Whether standard error is the journal of systemd, which names its file in `JOURNAL_STREAM`. */
function isJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  try {
    const { dev, ino } = fstatSync(2)
    return env['JOURNAL_STREAM'] === `${dev}:${ino}`
  } catch {
    return false
  }
}

/** Puts the priority before a line; the journal removes it. */
export function withPriority(line: string): string {
  const priority = priorities[levelOf.exec(line)?.[1] ?? '']
  return priority === undefined ? line : `<${priority}>${line}`
}

/**
 * Writes lines of JSON with the level as a word and the time in ISO 8601. Every line is searched for keys, signing
 * secrets and passwords before it is written, so that none gets into the log. Text from a caller or a receiver cannot
 * control the terminal that shows it.
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
