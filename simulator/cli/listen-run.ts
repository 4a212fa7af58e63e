import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FeedPosition, TillgateError } from '#client'
import { CliError } from '../../src/core/server/errors.ts'

/** Runs a program for an event, which it gets on its standard input, and resolves to its exit status. */
export async function runForEvent(program: string, text: string): Promise<{ isGood: boolean; words: string }> {
  const child = spawn(program, { stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  ended.catch(() => {})
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw new CliError('usage', `--run ${program} cannot be started: ${(error as Error).message}`, { cause: error })
  }
  // A program that does not read its input may end before the event is written.
  child.stdin.on('error', () => {}).end(text)
  const [code, signal] = (await ended) as [number | null, string | null]
  return { isGood: code === 0, words: code === 0 ? '→ ok' : `→ ${signal ?? `exit code ${code}`}` }
}

/** Stores the position in the feed in a file, as `<epoch>_<sequence>`. */
export class Position {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Reads the position, if one is stored. Versions before 2026-11-28 stored only a number. Throws `CliError`. */
  async read(): Promise<FeedPosition | undefined> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      const why = (error as Error).message
      throw new CliError('file_unreadable', `${this.#file} cannot be read: ${why}`, { cause: error })
    })
    if (text === undefined) return undefined
    const [, epoch, after] = /^(?:([0-9a-f]{8})_)?(\d{1,15})\n?$/.exec(text) ?? []
    if (after !== undefined) return { epoch, after: Number(after) }
    throw new CliError('usage', `${this.#file} is not a position: it must contain only <epoch>_<sequence> of an event`)
  }

  /** Writes at once, so that no further event is read before it is stored. */
  keep({ epoch, after }: FeedPosition): void {
    writeFileSync(`${this.#file}.next`, `${epoch}_${after}\n`)
    renameSync(`${this.#file}.next`, this.#file)
  }

  /** Returns the advice if the journal was restored to an earlier state than the position; empty for other problems. */
  adviceFor(problem: TillgateError['problem']): string {
    const { epoch, after } = (problem ?? {}) as { epoch?: unknown; after?: unknown }
    if (typeof epoch !== 'string' || typeof after !== 'number') return ''
    return `; to continue, write ${epoch}_${after} to ${this.#file}`
  }
}
