import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { CliError } from '../../server/errors.ts'
import type { SourceFile } from '../../sources/adapter.ts'

/** Bytes of all files of an archive, unpacked, and how many there are, at most: what is more is no export of a till. */
const archiveLimit = { bytes: 1024 ** 3, names: 10_000 }

/** Names of files in an archive that are no path out of it. */
const isSafe = (name: string) => !name.startsWith('/') && !name.includes('\\') && !name.split('/').includes('..')

function unzip(name: string, bytes: Buffer): SourceFile[] {
  let size = 0
  let count = 0
  try {
    const files = unzipSync(bytes, {
      filter({ name: inner, originalSize }) {
        if (inner.endsWith('/')) return false
        if (!isSafe(inner)) throw new Error(`it holds a file outside of itself: ${inner}`)
        size += originalSize
        count += 1
        if (size > archiveLimit.bytes || count > archiveLimit.names) {
          throw new Error(
            `it unpacks to more than ${archiveLimit.bytes / 1024 ** 3} GiB or ${archiveLimit.names} files`,
          )
        }
        return true
      },
    })
    return Object.entries(files).map(([inner, content]) => ({ name: inner, bytes: Buffer.from(content) }))
  } catch (error) {
    throw new CliError('file_unreadable', `${name} cannot be unpacked: ${(error as Error).message}`, { cause: error })
  }
}

/** Unpacks what is a ZIP archive or gzip by its first bytes. */
function unpack(name: string, bytes: Buffer): SourceFile[] {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return unzip(name, bytes)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return [{ name, bytes }]
  try {
    return [{ name: name.replace(/\.gz$/, ''), bytes: gunzipSync(bytes, { maxOutputLength: archiveLimit.bytes }) }]
  } catch (error) {
    throw new CliError('file_unreadable', `${name} cannot be unpacked: ${(error as Error).message}`, { cause: error })
  }
}

/** Reads a file, the files of a directory or of a ZIP archive, or standard input for `-`. Throws `CliError`. */
export async function readSourceFiles(path: string): Promise<SourceFile[]> {
  if (path === '-') {
    if (process.stdin.isTTY) throw new CliError('usage', 'standard input is a terminal: pipe the file in')
    return unpack('standard input', await buffer(process.stdin))
  }
  try {
    if (!(await stat(path)).isDirectory()) return unpack(basename(path), await readFile(path))
    const entries = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile())
    const names = entries.map(({ name }) => name).toSorted()
    return await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(path, name)) })))
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('file_unreadable', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Reads a JSON file that a person wrote. Throws `CliError`. */
export async function readJson(path: string, what: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, '')) as unknown
  } catch (error) {
    throw new CliError('file_unreadable', `${what} ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
