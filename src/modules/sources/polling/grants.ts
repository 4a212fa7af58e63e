import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../adapters/json-documents.ts'
import { PullFailed, type OAuth, type PullRequest } from '../adapters/pull.ts'

/**
 * The content of an authorization file (OAuth 2.0, RFC 6749): the application, and the tokens from its system.
 * `renewing_since` is set before a refresh token is used and removed when its answer is stored. Other members are kept.
 */
type Grant = {
  client_id: string
  client_secret?: string
  refresh_token: string
  access_token?: string
  expires_at?: string
  renewing_since?: string
}

/** Requests the system's token endpoint; `secrets` must not appear in failures. */
export type Exchange = (request: PullRequest, headers: Record<string, string>, secrets: string[]) => Promise<Json>

/** A process that renews a token blocks the others for at most this long. */
const longestRenewalMs = 120_000

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Returns the authorization in the text of a secret file; undefined for a token. */
export function grantIn(text: string): Grant | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const grant = JSON.parse(text) as Partial<Grant>
    return isText(grant.client_id) && isText(grant.refresh_token) ? (grant as Grant) : undefined
  } catch {
    return undefined
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown error'

const notWritable = (path: string, error: unknown) =>
  new PullFailed(
    'stop',
    `${path} cannot be written (${codeOf(error)}): it contains tokens that change, so the file and its directory must be writable by the delivery process`,
  )

/** Replaces a file on disk, completely or not at all; only its owner may read it. */
async function replace(path: string, grant: Grant): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.writeFile(`${JSON.stringify(grant, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

/** Whether the holder of a lock is gone: a process of this machine that has ended, or a process that took too long. */
async function isAbandoned(lock: string): Promise<boolean> {
  const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)])
  if (Date.now() - mtimeMs > longestRenewalMs) return true
  const [host, pid] = text.split(' ')
  if (host !== hostname() || !pid) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Does the work while no other process renews the tokens of the file: sources of one account share the file. */
async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  for (;;) {
    try {
      const file = await open(lock, 'wx', 0o600)
      await file.writeFile(`${hostname()} ${process.pid}`)
      await file.close()
      break
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw notWritable(path, error)
      if (await isAbandoned(lock).catch(() => false)) await rm(lock, { force: true })
      else await delay(50)
    }
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

function requestOf({ path, style }: OAuth, grant: Grant): { request: PullRequest; headers: Record<string, string> } {
  const { client_id, client_secret, refresh_token } = grant
  const wanted = { grant_type: 'refresh_token', refresh_token }
  if (style === 'json') {
    const body = { client_id, ...(client_secret === undefined ? {} : { client_secret }), ...wanted }
    return { request: { method: 'POST', path, body }, headers: {} }
  }
  // RFC 6749, 2.3.1: an application that has a secret authenticates by HTTP Basic, each part encoded.
  const basic = Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret ?? '')}`)
  const isPublic = client_secret === undefined
  return {
    request: { method: 'POST', path, form: isPublic ? { ...wanted, client_id } : wanted },
    headers: isPublic ? {} : { authorization: `Basic ${basic.toString('base64')}` },
  }
}

function expiryOf({ expires_at, expires_in }: Json, now: Date): string | undefined {
  if (isText(expires_at) && !Number.isNaN(Date.parse(expires_at))) return new Date(expires_at).toISOString()
  return Number(expires_in) > 0 ? new Date(now.getTime() + Number(expires_in) * 1_000).toISOString() : undefined
}

/** Uses the refresh token, and stores the new tokens before they are used, so that a valid one is always on disk. */
async function renew(path: string, grant: Grant, { oauth, exchange, now }: Renewing): Promise<string> {
  const { renewing_since: lostAt, ...before } = grant
  try {
    // Stored first, so that no answer is requested that could not be stored.
    await replace(path, { ...before, renewing_since: now.toISOString() })
  } catch (error) {
    throw notWritable(path, error)
  }
  const { request, headers } = requestOf(oauth, grant)
  const secrets = [grant.refresh_token, grant.client_secret ?? '', headers['authorization'] ?? '']
  const answer = await exchange(request, headers, secrets.filter(isText)).catch(async (error: unknown) => {
    const isRefused = error instanceof PullFailed && (error.status === 400 || error.status === 401)
    if (!isRefused) throw error
    const why = lostAt ? `was used at ${lostAt}, but the response was lost; now it is refused` : 'is refused'
    const remedy = `authorize the application again, write the new refresh_token to ${path} without renewing_since, and resume the source`
    throw new PullFailed('stop', `the refresh token in ${path} ${why}: ${remedy}. ${error.message}`, { status: 403 })
  })
  if (!isText(answer?.access_token)) throw new PullFailed('again', `${request.path} did not return an access_token`)
  const { access_token } = answer
  const refresh_token = isText(answer.refresh_token) ? answer.refresh_token : grant.refresh_token
  const { expires_at: _, ...rest } = before
  const expires_at = expiryOf(answer, now)
  await replace(path, { ...rest, refresh_token, access_token, ...(expires_at ? { expires_at } : {}) }).catch(
    (error: unknown) => {
      throw notWritable(path, error)
    },
  )
  return access_token
}

export type Renewing = { oauth: OAuth; exchange: Exchange; now: Date; refused?: string | undefined }

/** Returns the access token of an authorization if it is valid for some time and is not the refused one. */
function goodToken({ access_token, expires_at }: Grant, { oauth, now, refused }: Renewing): string | undefined {
  const isOld = expires_at !== undefined && Date.parse(expires_at) - now.getTime() < oauth.renewBeforeMs
  return access_token !== undefined && access_token !== refused && !isOld ? access_token : undefined
}

/** Resolves to the access token of an authorization; to a new one if it expired or was refused. Throws `PullFailed`. */
export async function accessTokenIn(path: string, grant: Grant, renewing: Renewing): Promise<string> {
  const known = goodToken(grant, renewing)
  if (known !== undefined) return known
  const real = await realpath(path)
  return alone(real, async () => {
    // Another process, or another source of the account, may have renewed it.
    const current = grantIn((await readFile(real, 'utf8')).trim()) ?? grant
    return goodToken(current, renewing) ?? renew(real, current, renewing)
  })
}
