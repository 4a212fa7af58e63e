import { createReadStream } from 'node:fs'
import { isAbsolute } from 'node:path'
import { PullFailed, type OAuth } from '../sources/pull.ts'
import { accessTokenIn, grantIn, type Renewing } from './grants.ts'

/** A token has so many bytes at most: more is another file than was meant. */
const longestSecret = 16 * 1024

/** Reads a file that should hold a secret: a byte more than `most` of one that is longer, and so of one that never ends. */
export async function readSecretFile(path: string, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: most })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** What is wrong with a reference to a secret, if anything is. */
export function secretFault(reference: string): string | undefined {
  const [, kind, where = ''] = /^(env|file):(.*)$/s.exec(reference) ?? []
  if (kind === undefined) return 'a secret is named as env:NAME or file:/path, never given itself'
  if (kind === 'env' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(where)) return 'env: is followed by the name of a variable'
  if (kind === 'file' && (!isAbsolute(where) || where.includes('\0'))) return 'file: is followed by an absolute path'
  return undefined
}

/** Reads a secret where it is now: it may have been renewed. Throws `PullFailed`, which never has the secret in it. */
export async function readSecret(reference: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const fault = secretFault(reference)
  if (fault !== undefined) throw new PullFailed('stop', fault)
  const where = reference.slice(reference.indexOf(':') + 1)
  if (reference.startsWith('env:')) {
    const value = env[where]?.trim() ?? ''
    if (value === '') throw new PullFailed('stop', `the variable ${where} is not set where deliveries run`)
    return value
  }
  const bytes = await readSecretFile(where, longestSecret).catch((error: NodeJS.ErrnoException) => {
    throw new PullFailed('stop', `the file ${where} cannot be read: ${error.code ?? 'unknown error'}`)
  })
  const text = bytes.length > longestSecret ? '' : bytes.toString('utf8').trim()
  if (text === '') throw new PullFailed('stop', `the file ${where} is empty, or longer than a secret`)
  return text
}

/**
 * The token that a source asks with: the secret itself, or the access token of the authorisation that its file holds, which is renewed where
 * it has ended or was `refused`. Throws `PullFailed`.
 */
export async function readToken(
  reference: string,
  { oauth, ...renewing }: Omit<Renewing, 'oauth'> & { oauth: OAuth | undefined },
): Promise<string> {
  const secret = await readSecret(reference)
  const grant = reference.startsWith('file:') ? grantIn(secret) : undefined
  if (!grant) return secret
  if (!oauth)
    throw new PullFailed('stop', 'the secret is an authorisation with a refresh_token, which this system does not have')
  return accessTokenIn(reference.slice('file:'.length), grant, { oauth, ...renewing })
}

/** What is wrong with a reference that came over the network: whoever sends one must not make the server read any file or variable. */
export function remoteSecretFault(reference: string): string | undefined {
  const fault = secretFault(reference)
  if (fault !== undefined) return fault
  const isNamed = /^env:SOURCE_[A-Z0-9_]+$/.test(reference)
  const isMounted = /^file:\/run\/secrets\/[\w.-]+$/.test(reference) && !reference.includes('..')
  return isNamed || isMounted ? undefined : 'over HTTP a secret is named env:SOURCE_… or file:/run/secrets/…'
}
