import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'

export type LogLevel = NonNullable<Config['logLevel']>

/** The one logger of a process: the HTTP server, the delivery worker and the supervisor write through it. */
export type Log = Logger

/** People at a terminal read what serve prints; a supervisor's log takes more. */
export function chooseLogLevel(config: Pick<Config, 'logLevel'>): LogLevel {
  return config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info')
}

const secrets: [form: RegExp, shown: string][] = [
  // API keys, mistyped ones too, signing secrets of webhooks, codes into the console and its sessions.
  [/(tg_(?:live|test)_|whsec_|tg[cs]_)[\w+/=-]+/g, '$1***'],
  // Up to the last @: a password that was not percent-encoded must not show either.
  [/(postgres(?:ql)?:\/\/[^:/@\s"]*):[^\s"]*@/g, '$1:***@'],
  [/(https?:\/\/)[^/@\s"]*@/g, '$1***@'],
  [/([?&]password=)[^&\s"]*/gi, '$1***'],
]

function strikeOut(line: string): string {
  let shown = line
  for (const [form, replacement] of secrets) shown = shown.replace(form, replacement)
  return shown
}

/**
 * Writes lines of JSON with the level as a word and the time in ISO 8601. Every line is searched for keys, signing
 * secrets and passwords before it leaves: what happened to put one into a message does not put it into the log.
 */
export function createLog(level: LogLevel, stream: DestinationStream = process.stderr): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: strikeOut },
    },
    stream,
  )
}
