import type { Encryption } from './manifest.ts'

/** Seals the files of one backup; without a secret they are only packed. */
export type Seal = {
  encryption: Encryption | null
  /** Returns a digest of the content that does not reveal the content. */
  digest(content: Buffer): string
  /** `file` is the path of the content in the backup. */
  seal(content: Buffer, file: string): Promise<Buffer>
  /** Suffix of the names of sealed files. */
  end: 'sealed' | 'ndjson.gz' | 'ndjson.gz.age'
  /** Returns the MAC of a manifest's text under the passphrase; absent without a passphrase. */
  mac?: (text: string) => string
}

export type Opener = {
  /**
   * Opens a file of the backup that was sealed under this path. Throws `BackupError` if the content or the path was
   * changed.
   */
  open(sealed: Buffer, file: string): Promise<Buffer>
  mac?: (text: string) => string
}
