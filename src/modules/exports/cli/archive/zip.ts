import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import type { Encrypter } from 'age-encryption'
import { Zip, type ZipInputFile } from 'fflate'
import { CliError } from '../../../../core/server/errors.ts'
import { coverScratch, removeScratch } from '../../../../core/cli/terminal/scratch.ts'

/** Maximum size in bytes of a ZIP without extensions, which every program opens. */
const mostBytes = 2 ** 32 - 1

/** The number of the compression method in a ZIP. */
const deflated = 8

/** Packs files of a folder into one ZIP, in their order, at the speed of the disk. */
async function writeZip(folder: string, names: readonly string[], path: string): Promise<void> {
  const out = createWriteStream(path, { mode: 0o600 })
  let [failed, bytes] = [undefined as Error | undefined, 0]
  const zip = new Zip((error, chunk) => {
    if (error) failed ??= error
    bytes += chunk?.length ?? 0
    if (chunk) out.write(chunk)
  })
  for (const name of names) {
    // Constant, so that the same files make the same archive.
    const mtime = new Date(2000, 0, 1)
    const member: ZipInputFile = { filename: name, compression: deflated, size: 0, crc: 0, mtime }
    zip.add(member)
    const measure = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        member.size += chunk.length
        member.crc = crc32(chunk, member.crc)
        yield chunk
      }
    }
    await pipeline(createReadStream(`${folder}/${name}`), measure, createDeflateRaw(), async (packed) => {
      for await (const chunk of packed as AsyncIterable<Buffer<ArrayBuffer>>) {
        member.ondata?.(null, chunk, false)
        if (failed) throw failed
        if (out.writableNeedDrain) await once(out, 'drain')
        if (bytes > mostBytes)
          throw new CliError(
            'output_failed',
            'the archive would exceed 4 GiB, the limit of its ZIP format: this fiscal year cannot be archived; its data stays in the database',
          )
      }
    })
    member.ondata?.(null, new Uint8Array(0), true)
  }
  zip.end()
  out.end()
  await once(out, 'finish')
  if (failed) throw failed
}

/** Encrypts a file, so that `age --decrypt` opens it. */
async function seal(path: string, encrypter: Encrypter, sealed: string): Promise<void> {
  const plain = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
  const stream = Readable.fromWeb((await encrypter.encrypt(plain)) as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(stream, createWriteStream(sealed, { mode: 0o600 }))
}

/**
 * Writes the archive of a folder atomically, encrypted if there is an `encrypter`. `onWritten` is called when the archive
 * is complete on disk; the archive gets its name only after `onWritten` has resolved.
 */
export async function writeArchive(
  folder: string,
  names: readonly string[],
  { out, encrypter, onWritten }: { out: string; encrypter: Encrypter | undefined; onWritten: () => Promise<unknown> },
): Promise<void> {
  const plain = `${folder}.zip`
  const part = `${out}.part`
  for (const path of [plain, part]) coverScratch(path)
  try {
    const path = encrypter ? plain : part
    await writeZip(folder, names, path)
    if (encrypter) await seal(plain, encrypter, part)
    const file = await open(part, 'r+')
    await file.sync()
    await file.close()
    await onWritten()
    await rename(part, out)
  } finally {
    await removeScratch(plain)
    await removeScratch(part)
  }
}
