/** Why a backup cannot be written or read, in words for the operator. Scripts use `code`. */
export class BackupError extends Error {
  readonly code:
    | 'backup_invalid'
    | 'backup_damaged'
    | 'backup_passphrase'
    | 'backup_key'
    | 'backup_foreign'
    | 'backup_signer'
    | 'backup_in_use'
    | 'target_not_empty'
    | 'file_unreadable'
    | 'output_failed'

  constructor(code: BackupError['code'], message: string, options?: ErrorOptions) {
    super(
      code === 'backup_damaged' ? `${message}; use another copy of the backup, or another backup` : message,
      options,
    )
    this.code = code
  }
}

/**
 * Makes the error for a failure of the file system. File systems and connections share error codes: passed on
 * unchanged, a missing directory would be taken for an unreachable database.
 */
export function fileError(code: 'file_unreadable' | 'output_failed', path: string, error: unknown): BackupError {
  const [reason] = (error as Error).message.split(',', 1)
  const what = code === 'output_failed' ? 'written' : 'read'
  return new BackupError(code, `${path} cannot be ${what}: ${reason}`, { cause: error })
}
