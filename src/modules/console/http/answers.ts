import { settingsOf } from '../../../core/contract/location/settings.ts'
import type { ConsoleSession, Passkey, Session } from '../schemas/console.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { HeldSession } from '../../../core/http/server-types.ts'
import type { ConsoleSessionRow } from '../store/console-sessions.ts'
import type { PasskeyRow } from '../store/passkeys.ts'
import type { LocationRow } from '../../../core/contract/location/rows.ts'
import { endOf } from './sessions.ts'

/** Puts a session into the shape of the response: who signed in, for how long, and which locations it may read. */
export function toSession(session: HeldSession, locations: readonly LocationRow[], server: Session['server']): Session {
  const { id, kind, name, role, scopes, recipientId, locationIds, createdAt, redeemedAt, returnUrl } = session
  const { endsAt, idleUntil, renewableUntil } = endOf(session)
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
    renewableUntil: renewableUntil?.toISOString() ?? null,
    returnUrl,
    server,
  }
}

/** Makes one row of the list of sessions, without secrets. */
export function toConsoleSession(row: ConsoleSessionRow, ownId: string): ConsoleSession {
  const { id, kind, role, name, scopes, locationIds, recipientId, madeBy, keyId, userAgent, address } = row
  const { createdAt, redeemedAt, lastSeenAt, endsAt, endedAt } = row
  const who = { id, kind, role, name, scopes, locationIds, recipientId, madeBy, keyId }
  return {
    ...who,
    createdAt: createdAt.toISOString(),
    redeemedAt: redeemedAt?.toISOString() ?? null,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    expiresAt: endsAt.toISOString(),
    renewableUntil: row.renewUntil?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    userAgent,
    address,
    isOwn: id === ownId,
  }
}

/** Makes one row of the list of passkeys; `madeBy` opened the session of the request. */
export function toPasskey(row: PasskeyRow, madeBy: string | undefined): Passkey {
  const { id, label, name, role, scopes, locationIds, grantId, keyId, origin, isSynced } = row
  return {
    id,
    label,
    name,
    role,
    scopes,
    locationIds,
    linkId: grantId,
    keyId,
    origin,
    isSynced,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.endsAt.toISOString(),
    isOwn: id === madeBy,
  }
}
