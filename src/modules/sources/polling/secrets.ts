import { PullFailed, type OAuth } from '../adapters/pull.ts'
import { readSecretIn, secretFault, type SourceLimits } from './limits.ts'
import { accessTokenIn, grantIn, type Renewing } from './grants.ts'

/** Largest token, in bytes: a larger file is the wrong one. */
const longestSecret = 16 * 1024

/** Reads the current secret, which may have been renewed. Throws `PullFailed`, which never contains the secret. */
export async function readSecret(
  reference: string,
  limits: SourceLimits,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const fault = secretFault(reference, limits)
  if (fault !== undefined) throw new PullFailed('stop', fault)
  const where = reference.slice(reference.indexOf(':') + 1)
  if (reference.startsWith('env:')) {
    const value = env[where]?.trim() ?? ''
    if (value === '')
      throw new PullFailed(
        'stop',
        `the variable ${where} is not set in the delivery process: set it, and restart the process`,
      )
    return value
  }
  const bytes = await readSecretIn(where, longestSecret, limits).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof PullFailed) throw error
    throw new PullFailed('stop', `the file ${where} cannot be read: ${error.code ?? 'unknown error'}`)
  })
  const text = bytes.length > longestSecret ? '' : bytes.toString('utf8').trim()
  if (text === '')
    throw new PullFailed('stop', `the file ${where} is empty or too long for a secret: it must contain only the secret`)
  return text
}

/**
 * Resolves to the token for a source's requests: the secret itself, or the access token of the authorization in its
 * file, renewed if it has expired or was `refused`. Throws `PullFailed`.
 */
export async function readToken(
  reference: string,
  { oauth, limits, ...renewing }: Omit<Renewing, 'oauth'> & { oauth: OAuth | undefined; limits: SourceLimits },
): Promise<string> {
  const secret = await readSecret(reference, limits)
  const grant = reference.startsWith('file:') ? grantIn(secret) : undefined
  if (!grant) return secret
  if (!oauth)
    throw new PullFailed(
      'stop',
      'the secret has a refresh_token, which this system does not support: use an access token',
    )
  return accessTokenIn(reference.slice('file:'.length), grant, { oauth, ...renewing })
}
