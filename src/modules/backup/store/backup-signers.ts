import { installationId } from '../../../core/domain/accounts/keys.ts'
import type { Sql } from '../../../core/store/db/database.ts'

/** An Ed25519 key in base64url; `privateKey` is null if only the public part is known here. */
export type BackupSigner = { publicKey: string; privateKey: string | null }

/**
 * Lists the signers whose backups this installation continues, the oldest first; the first signer with a private key
 * is its own.
 */
export async function listBackupSigners(sql: Sql): Promise<BackupSigner[]> {
  return sql<BackupSigner[]>`
    select public_key as "publicKey", private_key as "privateKey" from backup_signers
    where location_id = ${installationId} order by created_at, public_key`
}

/** Stores a signer; a known one stays unchanged. */
export async function insertBackupSigner(sql: Sql, { publicKey, privateKey }: BackupSigner, now: Date): Promise<void> {
  await sql`
    insert into backup_signers (location_id, public_key, private_key, created_at)
    values (${installationId}, ${publicKey}, ${privateKey}, ${now})
    on conflict (location_id, public_key) do nothing`
}
