// pack.mjs DIR FILE: writes all files below DIR into one compressed file, which launcher.cjs unpacks: the length of the
// list, the list (path, mode, and size or link), and the files one after the other.
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

const [directory, file] = process.argv.slice(2)
const paths = readdirSync(directory, { recursive: true }).toSorted((a, b) => (a < b ? -1 : 1))
const list = []
const contents = []
for (const path of paths) {
  const found = lstatSync(join(directory, path))
  if (found.isSymbolicLink()) list.push({ path, link: readlinkSync(join(directory, path)) })
  else if (found.isFile()) {
    const content = readFileSync(join(directory, path))
    list.push({ path, mode: found.mode & 0o777, size: content.length })
    contents.push(content)
  }
}
const index = Buffer.from(JSON.stringify(list))
const length = Buffer.alloc(4)
length.writeUInt32LE(index.length)
const params = { [constants.ZSTD_c_compressionLevel]: 12 }
writeFileSync(file, zstdCompressSync(Buffer.concat([length, index, ...contents]), { params }))
