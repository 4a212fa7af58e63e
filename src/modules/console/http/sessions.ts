import { hashKey, installationId, isToken } from '../../../core/domain/accounts/keys.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { findConsoleSession, touchConsoleSessions } from '../store/console-sessions.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import type { SessionKeeper, SessionSecrets } from '../../../core/http/context.ts'
import type { Caller, HeldSession } from '../../../core/http/server-types.ts'
import { Lookups, type LookupOptions } from '../../../core/http/guard/lookups.ts'

/** The last use of a session is written at most this often. */
const seenEveryMs = 5 * 60_000

/** Returns when a session ends by itself: by its age, by disuse, or with its key; and the time until which it may be renewed. */
export function endOf({ endsAt, renewUntil, keyExpiresAt, lastSeenAt, idleS }: HeldSession): {
  endsAt: Date
  idleUntil: Date | null
  renewableUntil: Date | null
} {
  const withKey = <T extends Date | null>(at: T) => (at && keyExpiresAt && keyExpiresAt < at ? keyExpiresAt : at)
  const last = withKey(endsAt)
  const idleUntil = idleS === null || !lastSeenAt ? null : new Date(lastSeenAt.getTime() + idleS * 1_000)
  return { endsAt: last, idleUntil, renewableUntil: withKey(renewUntil) }
}

/** The scope that the route of a request needs. */
type RequiredScope = { scope: string; ofLocations?: true | undefined }

/** Caches recently used console sessions by their hash, as the key ring caches keys. */
export class Sessions implements SessionKeeper {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #sessions: Lookups<HeldSession>
  readonly #locations: Lookups<LocationRow>
  #seen = new Map<string, Date>()

  constructor(pool: Pool, clock: () => Date, options: LookupOptions = {}) {
    this.#pool = pool
    this.#clock = clock
    this.#sessions = new Lookups((hash) => findConsoleSession(pool, hash), options)
    this.#locations = new Lookups((id) => findLocation(pool, id))
  }

  /**
   * Returns the session that the cookie names, if the request has the secret of the session's page. A browser sends a
   * cookie to every port of its host name, but stores the page's secret per origin: so the cookie alone gives no
   * access. Throws 401 if the session has ended, or the secret does not belong to it.
   */
  async authenticate({ token, pageSecret }: SessionSecrets): Promise<HeldSession> {
    if (token === undefined) throw new AppError('session_missing')
    if (!isToken('tgs_', token)) throw new AppError('session_ended')
    const session = await this.#get(hashKey(token))
    if (pageSecret !== undefined && hashKey(pageSecret) === session.pageHash) return session
    throw new AppError('session_missing', 'the cookie and the page belong to different sessions: sign in again')
  }

  /**
   * Returns a session that was just created here. It counts as known, so that the limit on invented cookies does not
   * delay a sign-in.
   */
  async welcome(token: string): Promise<HeldSession> {
    const session = await this.#sessions.admit(hashKey(token))
    if (!session) throw new AppError('session_ended')
    return session
  }

  /**
   * Returns the session as the caller of an operation with this scope. The location is the one that the operation
   * names, or the only one of the session. Operations on the installation, or on all locations of the session, have no
   * location. Throws 400, 403 and 404 about the location.
   */
  async act(session: HeldSession, { scope, ofLocations }: RequiredScope, chosen: string | undefined): Promise<Caller> {
    const isOfAll = ofLocations === true && chosen === undefined
    const locationId = isOfAll ? installationId : this.#place(session, scope, chosen)
    if (locationId !== installationId) await this.#requireActive(locationId)
    return {
      id: session.id,
      hash: session.hash,
      hint: '',
      name: session.name,
      locationId,
      recipientId: session.recipientId,
      scopes: session.scopes,
      createdAt: session.redeemedAt ?? session.createdAt,
      expiresAt: endOf(session).endsAt,
      revokedAt: null,
      lastUsedAt: session.lastSeenAt,
      madeBy: null,
      session,
    }
  }

  /** Checks the session of a long-running request again. */
  async confirm({ hash, locationId }: Caller): Promise<void> {
    await this.#get(hash)
    if (locationId !== installationId) await this.#requireActive(locationId)
  }

  /** Forgets a cached session that was ended here. */
  forget({ hash }: HeldSession): void {
    this.#sessions.forget(hash)
  }

  /** Writes the last uses of sessions; called periodically. */
  async flush(): Promise<void> {
    const seen = this.#seen
    this.#seen = new Map()
    await touchConsoleSessions(this.#pool, seen)
  }

  /**
   * Finds a session by the hash of its token and records its use. Throws 401 `session_ended` if it is unknown or over.
   */
  async #get(hash: string): Promise<HeldSession> {
    const session = this.#sessions.fresh(hash) ?? (await this.#sessions.lookUp(hash))
    const now = this.#clock()
    if (!session || session.endedAt || !session.isKeyGood) throw new AppError('session_ended')
    const { endsAt, idleUntil } = endOf(session)
    if (endsAt <= now || (idleUntil && idleUntil <= now)) throw new AppError('session_ended')
    if (now.getTime() - (session.lastSeenAt?.getTime() ?? 0) > seenEveryMs) this.#seen.set(session.id, now)
    return session
  }

  /** Returns the location of a request. Throws if the session does not determine it, or may not see it. */
  #place({ locationIds }: HeldSession, scope: string, chosen: string | undefined): string {
    // The session of an installation key has no location, whichever one the page shows.
    if (scope === 'admin' || locationIds?.[0] === installationId) return installationId
    if (chosen === undefined) {
      if (locationIds?.length === 1) return locationIds[0] as string
      if (scope === 'any') return installationId
      throw new AppError('location_required')
    }
    if (chosen === installationId)
      throw new AppError('location_not_found', `location ${chosen} does not exist: check the id`)
    if (locationIds === null || locationIds.includes(chosen)) return chosen
    throw new AppError(
      'location_forbidden',
      'the session has no access to the location in Tillgate-Location: use one of the locations of the session',
    )
  }

  /** Throws 404 for a location that does not exist, and 403 for one that is deactivated. */
  async #requireActive(id: string): Promise<void> {
    const location = this.#locations.fresh(id) ?? (await this.#locations.lookUp(id))
    if (!location) throw new AppError('location_not_found', `location ${id} does not exist: check the id`)
    if (location.deactivatedAt) throw new AppError('location_inactive')
  }
}
