import { installationId } from '../../../../core/domain/accounts/keys.ts'
import { createConsoleLink, type LinkGrant } from '../../store/console-sessions.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { byHand } from '../../../../core/cli/acts.ts'

type Granted = Omit<LinkGrant, 'recipientId' | 'keyId' | 'madeBy' | 'returnUrl'>

/** Makes a link into the console of the server at `base`, with its code after the `#`, and logs that it was made. */
export async function createLink(
  pool: Pool,
  base: string,
  granted: Granted,
): Promise<{ id: string; url: string; expiresAt: Date }> {
  const now = new Date()
  const grant = { ...granted, recipientId: null, keyId: null, madeBy: 'cli', returnUrl: null }
  const { id, code, expiresAt } = await createConsoleLink(pool, grant, now)
  await byHand(pool, granted.locationIds?.[0] ?? installationId, { act: 'link.created', subject: id }, now)
  return { id, url: `${base}/console/#code=${code}`, expiresAt }
}
