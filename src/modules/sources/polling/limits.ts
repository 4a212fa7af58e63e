import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { PullFailed } from '../adapters/pull.ts'

/**
 * What this machine allows sources. A row of the database names a secret and a URL, and may come from a foreign backup:
 * both are used only if a setting of the machine allows them.
 */
export type SourceLimits = {
  /** The directory of secret files. */
  secretsDir: string
  /** URLs of systems in addition to those of their adapters: only scheme, host and port count. */
  urls: readonly string[]
}

/** Names of variables with secrets; other variables are never read. */
const variable = /^SOURCE_[A-Z0-9_]+$/

/** Returns the fault in the form of a reference to a secret, if any. */
export function referenceFault(reference: string): string | undefined {
  const [, kind, where = ''] = /^(env|file):(.*)$/s.exec(reference) ?? []
  if (kind === undefined) return 'a secret must be a reference: env:NAME or file:/path'
  if (kind === 'env' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(where))
    return 'env: must be followed by the name of a variable'
  if (kind === 'file' && (!isAbsolute(where) || where.includes('\0')))
    return 'file: must be followed by an absolute path'
  return undefined
}

/**
 * Returns why this machine does not read a reference; undefined if it does. Links are resolved only when it is read.
 */
export function secretFault(reference: string, { secretsDir }: Pick<SourceLimits, 'secretsDir'>): string | undefined {
  const fault = referenceFault(reference)
  if (fault !== undefined) return fault
  const where = reference.slice(reference.indexOf(':') + 1)
  const isNamed = reference.startsWith('env:') ? variable.test(where) : isWithin(join(where), secretsDir)
  return isNamed
    ? undefined
    : `a secret must be env:SOURCE_… or file:${secretsDir}/… (TILLGATE_SOURCE_SECRETS_DIR), not ${reference}`
}

const isWithin = (path: string, directory: string) => path.startsWith(join(directory, sep)) && !path.endsWith(sep)

/**
 * Reads the file of a secret, which must be a regular file in the directory after links are resolved. Resolves to its
 * content, at most one byte more than `most`. Throws `PullFailed` and errors of the file system.
 */
export async function readSecretIn(path: string, most: number, { secretsDir }: SourceLimits): Promise<Buffer> {
  const [real, directory] = await Promise.all([realpath(path), realpath(secretsDir)])
  if (!isWithin(real, directory))
    throw new PullFailed('stop', `the file ${path} is outside ${secretsDir}, the directory of secrets: move it there`)
  // A pipe could block.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new PullFailed('stop', `${path} is not a file`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most + 1), 0, most + 1, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const originOf = (url: string): string | undefined => {
  const of = URL.parse(url)
  return of === null || of.username !== '' || of.password !== '' ? undefined : of.origin
}

/** Returns the base URL for requests: that of the adapter, or another one if a setting allows it. Throws `PullFailed`. */
export function allowedUrl(url: string | null, own: string, { urls }: Pick<SourceLimits, 'urls'>): string {
  if (url === null || url === own) return own
  const origin = originOf(url)
  if (origin !== undefined && [own, ...urls].some((one) => originOf(one) === origin)) return url
  throw new PullFailed(
    'stop',
    `the URL ${JSON.stringify(url)} of the source is not allowed: its secret is sent only to ${own}. To allow the URL, set TILLGATE_SOURCE_URLS of the delivery process`,
  )
}
