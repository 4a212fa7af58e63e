import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { CliError } from '../server/errors.ts'
import { note } from './terminal/output.ts'

/** Returns whether the path is a device, a pipe or a directory, which a file must not replace. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile()
}

/** Writes a file that only its owner can read. Until it is complete it has another name, so `path` never names a part of it. */
async function writeFile(path: string, source: Readable): Promise<void> {
  const write = (file: Writable) =>
    path.endsWith('.gz') ? pipeline(source, createGzip(), file) : pipeline(source, file)
  if (await isSpecial(path)) return write(createWriteStream(path))
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`
  try {
    await write(createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function writeOut(source: Readable): Promise<void> {
  if (process.stdout.isTTY) note('Writing to the terminal; use --out <file> or > file to save it')
  await pipeline(source, process.stdout, { end: false })
}

/** Explains an output error to the user; returns any other error unchanged. */
export function toOutputError(error: unknown, out: string | undefined): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === 'EPIPE') return new CliError('output_closed', 'the output was closed before the end')
  if (syscall === undefined || code?.startsWith('E') !== true) return error
  const name = out === undefined || out === '-' ? 'standard output' : out
  return new CliError('output_failed', `${name} cannot be written: ${message.split(',', 1)[0]}`, { cause: error })
}

/** Writes record lines to a file, compressed if its name ends in `.gz`, or to standard output (`-` or nothing). */
export async function writeRecords(source: Readable, out: string | undefined): Promise<void> {
  await (out === undefined || out === '-' ? writeOut(source) : writeFile(out, source))
}
