/** Why a backup cannot be written or read, in words for the operator. `code` is for scripts. */
export class BackupError extends Error {
  readonly code:
    | 'backup_invalid'
    | 'backup_damaged'
    | 'backup_passphrase'
    | 'backup_key'
    | 'backup_foreign'
    | 'target_not_empty'

  constructor(code: BackupError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
