import { writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

/** A member of a ZIP: its bytes, or mebibytes of spaces. `says` is a false unpacked size in the ZIP, if any. */
export type Member = { name: string; text?: string; mebibytes?: number; says?: number }

/** Returns mebibytes of spaces, deflated to a thousandth of their size. */
function blanks(mebibytes: number): Buffer {
  // A complete block of Huffman codes ends at a byte boundary because of the flush, and can be repeated.
  const block = deflateRawSync(Buffer.alloc(2 ** 20, ' '), { level: 9, finishFlush: 3 })
  return Buffer.concat([...Array.from({ length: mebibytes }, () => block), deflateRawSync('')])
}

/** Writes a ZIP that may be malformed in ways that no honest program produces. */
export function writeZip(path: string, members: readonly Member[]): void {
  const [bodies, directory] = [[] as Buffer[], [] as Buffer[]]
  let at = 0
  for (const { name, text = '', mebibytes = 0, says } of members) {
    const packed = mebibytes > 0 ? blanks(mebibytes) : deflateRawSync(text)
    const size = says ?? (mebibytes > 0 ? mebibytes * 2 ** 20 : Buffer.byteLength(text))
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt32LE(size, 22)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    bodies.push(local, Buffer.from(name), packed)
    directory.push(entry, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(at, 16)
  writeFileSync(path, Buffer.concat([...bodies, ...directory, end]))
}
