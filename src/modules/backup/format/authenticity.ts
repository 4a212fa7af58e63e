import { timingSafeEqual } from 'node:crypto'
import { BackupError } from './errors.ts'
import type { Manifest } from './manifest.ts'
import type { Opener } from './seal.ts'
import { isSignedBy, type Signer } from './signing.ts'

/**
 * What proves the author of a backup: a signature by the requested signer, or the passphrase. Null if the author is
 * unknown.
 */
export type Authenticity = 'signer' | 'passphrase' | null

const isEqual = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Throws `BackupError` for a manifest that was changed after it was written. Returns whether the passphrase proves it. */
function proveManifest({ proven }: Manifest, mac: Opener['mac']): boolean {
  if (proven === null) return false
  const { proof, text } = proven
  if (!isSignedBy(proof.signer, text, proof.signature)) {
    throw new BackupError('backup_damaged', 'manifest.json was changed after it was signed')
  }
  if (mac === undefined) return false
  if (proof.mac !== null && isEqual(proof.mac, mac(text))) return true
  throw new BackupError('backup_damaged', 'manifest.json was written by someone without the passphrase')
}

/**
 * Proves who wrote a backup. `signer` is the public key that the reader wrote down. Throws `BackupError` if the backup
 * is not signed with it, or if the manifest does not match its proof.
 */
export function authenticate(manifest: Manifest, mac: Opener['mac'], signer: string | undefined): Authenticity {
  const byPassphrase = proveManifest(manifest, mac)
  if (signer === undefined) return byPassphrase ? 'passphrase' : null
  const given = manifest.proven?.proof.signer
  if (given === signer) return 'signer'
  throw new BackupError(
    'backup_signer',
    given === undefined
      ? `the backup has format ${manifest.format}, which is not signed: run tillgate backup again to sign it`
      : `the backup is signed by ${given}, not by ${signer}`,
  )
}

/**
 * Throws `BackupError` if another installation made the backup and the given passphrase does not prove it: the next
 * run would sign contents that this installation did not write. Formats 1 and 2 have no signature and are accepted,
 * because only their list of deletions is kept.
 */
export function refuseOthers(manifest: Manifest, mac: Opener['mac'], signer: Signer): void {
  if (proveManifest(manifest, mac) || manifest.proven === null) return
  const given = manifest.proven.proof.signer
  if (signer.known.has(given)) return
  throw new BackupError(
    'backup_signer',
    `the backup is signed by ${given}, but this installation signs as ${signer.publicKey} and was not restored from it: start a new backup elsewhere`,
  )
}
