import type { Encryption } from './manifest.ts'

/** Seals the files of one backup; without a secret they are packed and not sealed. */
export type Seal = {
  encryption: Encryption | null
  /** Distinguishes contents without revealing them. */
  digest(content: Buffer): string
  /** `file` is its path in the backup. */
  seal(content: Buffer, file: string): Promise<Buffer>
  /** How names of its files end. */
  end: 'sealed' | 'ndjson.gz' | 'ndjson.gz.age'
  /** Proves a manifest by the passphrase; absent without one. */
  mac?: (text: string) => string
}

export type Opener = {
  /** Opens a file of the backup, which has this path in it. Throws `BackupError` when it is not what was sealed. */
  open(sealed: Buffer, file: string): Promise<Buffer>
  /** As of the seal. */
  mac?: (text: string) => string
}
