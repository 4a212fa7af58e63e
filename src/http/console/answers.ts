import { settingsOf } from '../../domain/documents/location-settings.ts'
import type { ConsoleSession, Session } from '../../schemas/console.ts'
import type { Location } from '../../schemas/locations.ts'
import type { ConsoleSessionRow, HeldSession } from '../../store/accounts/console-sessions.ts'
import type { LocationRow } from '../../store/documents/locations.ts'
import { endOf } from '../guard/sessions.ts'

/** Puts a session into the shape of the response: who signed in, for how long, and which locations it may read. */
export function toSession(session: HeldSession, locations: readonly LocationRow[], server: Session['server']): Session {
  const { id, kind, name, role, scopes, recipientId, locationIds, createdAt, redeemedAt, returnUrl } = session
  const { endsAt, idleUntil } = endOf(session)
  return {
    id,
    kind,
    name,
    role,
    scopes,
    recipientId,
    allLocations: locationIds === null,
    locations: locations.map((row) => {
      const { name, city } = JSON.parse(row.withoutDevices) as Location
      return { id: row.id, name, city, ...settingsOf(row), deactivatedAt: row.deactivatedAt?.toISOString() ?? null }
    }),
    createdAt: (redeemedAt ?? createdAt).toISOString(),
    expiresAt: endsAt.toISOString(),
    idleUntil: idleUntil?.toISOString() ?? null,
    returnUrl,
    server,
  }
}

/** Makes one row of the list of sessions; nothing in it can be used to sign in. */
export function toConsoleSession(row: ConsoleSessionRow, ownId: string): ConsoleSession {
  const { id, kind, role, name, scopes, locationIds, recipientId, madeBy, keyId, userAgent } = row
  const { createdAt, redeemedAt, lastSeenAt, endsAt, endedAt } = row
  const who = { id, kind, role, name, scopes, locationIds, recipientId, madeBy, keyId }
  return {
    ...who,
    createdAt: createdAt.toISOString(),
    redeemedAt: redeemedAt?.toISOString() ?? null,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    expiresAt: endsAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    userAgent,
    isOwn: id === ownId,
  }
}
