import { createReadStream } from 'node:fs'

/** Reads a file with a secret: at most `most` + 1 bytes, even if the file never ends. */
export async function readSecretFile(path: string, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: most })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
