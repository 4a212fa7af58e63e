import type { Encryption } from './manifest.ts'

/** Seals the files of one backup; without a secret they are only packed. */
export type Seal = {
  encryption: Encryption | null
  /** Distinguishes contents without revealing them. */
  digest(content: Buffer): string
  /** `file` is its path in the backup. */
  seal(content: Buffer, file: string): Promise<Buffer>
  /** Suffix of its file names. */
  end: 'sealed' | 'ndjson.gz' | 'ndjson.gz.age'
  /** Proves a manifest by the passphrase; absent without one. */
  mac?: (text: string) => string
}

export type Opener = {
  /** Opens a file of the backup that was sealed under this path. Throws `BackupError` if it is not what was sealed. */
  open(sealed: Buffer, file: string): Promise<Buffer>
  mac?: (text: string) => string
}
