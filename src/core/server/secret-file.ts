import { createReadStream } from 'node:fs'

/** Reads a file that should hold a secret: a byte more than `most` of one that is longer, and so of one that never ends. */
export async function readSecretFile(path: string, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: most })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
