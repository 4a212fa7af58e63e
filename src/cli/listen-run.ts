import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { CliError } from '../server/errors.ts'

/** Runs a program for an event, which it gets on its standard input, and resolves to how it ended. */
export async function runForEvent(program: string, text: string): Promise<{ isGood: boolean; words: string }> {
  const child = spawn(program, { stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  ended.catch(() => {})
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw new CliError('usage', `--run ${program} cannot be started: ${(error as Error).message}`, { cause: error })
  }
  // One that reads nothing may be gone before it is written to.
  child.stdin.on('error', () => {}).end(text)
  const [code, signal] = (await ended) as [number | null, string | null]
  return { isGood: code === 0, words: code === 0 ? '→ ok' : `→ ${signal ?? `exit code ${code}`}` }
}

/** Keeps in a file after which number of the journal one goes on. */
export class Position {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined where nothing was kept yet. Throws `CliError`. */
  async read(): Promise<number | undefined> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      const why = (error as Error).message
      throw new CliError('file_unreadable', `${this.#file} cannot be read: ${why}`, { cause: error })
    })
    if (text === undefined) return undefined
    if (/^\d{1,15}\n?$/.test(text)) return Number(text)
    throw new CliError('usage', `${this.#file} is no position: it has a number of the journal and nothing else`)
  }

  async keep(sequence: number): Promise<void> {
    await writeFile(`${this.#file}.next`, `${sequence}\n`)
    await rename(`${this.#file}.next`, this.#file)
  }
}
