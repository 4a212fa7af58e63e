import { createReadStream } from 'node:fs'

/** Reads a file with a secret: at most a byte more than `most`, even from an endless file. */
export async function readSecretFile(path: string, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: most })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
