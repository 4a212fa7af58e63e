import type { Config } from '../config.ts'

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 } as const

export type LogLevel = keyof typeof levels

/** People at a terminal read what serve prints; a supervisor's log takes more. */
export function chooseLogLevel(config: Pick<Config, 'logLevel'>): LogLevel {
  return config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info')
}

export type Log = (level: 'info' | 'warn' | 'error', message: string, error?: unknown) => void

/** Lines of the form that the HTTP server logs in, for what happens beside it. */
export function createLog(least: LogLevel): Log {
  return (level, message, error) => {
    if (levels[level] < levels[least]) return
    const err = error instanceof Error ? { err: { message: error.message } } : {}
    const line = { level: levels[level], time: Date.now(), pid: process.pid, ...err, msg: message }
    process.stderr.write(`${JSON.stringify(line)}\n`)
  }
}
