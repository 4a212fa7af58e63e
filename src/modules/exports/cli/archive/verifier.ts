import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * A ZIP, read by its directory. `pieces` and `read` unpack at most the size that the directory states, and
 * each kind of file has a maximum size.
 */
export type OpenedZip = {
  read(name: string): Promise<Uint8Array>
  pieces(name: string): AsyncIterable<Uint8Array>
  /** Unpacked size of a file. */
  sizeOf(name: string): number
}

/** The script for auditors, also included in archives. It returns the same results as the command line. */
export type Verifier = {
  verifyProof(file: string, key: string): Promise<Proven>
  verifyGrowth(file: string, older: string, key: string): Promise<Grown>
  verifyArchive(archive: unknown, keys: readonly string[], options: { unsigned: boolean }): Promise<VerifiedArchive>
  openZip(blob: Blob): Promise<OpenedZip>
  openFolder(path: string): Promise<unknown>
  describe(proven: Proven): string
  describeGrowth(grown: Grown): string
}

/**
 * `says` also has a line for each item of `notChecked`. `isSigned`: the manifest is signed, which also covers the tables
 * and texts that it lists.
 */
type VerifiedArchive = { says: string; notChecked: string[]; isSigned: boolean }

type Head = { origin: string; size: number }

type Proven = {
  checkpoint: Head
  entry: { kind: string; id: string; seq: number; acceptedAt: string; locationId: string }
  isRedacted: boolean
}

type Grown = { before: Head; after: Head }

const script = join(import.meta.dirname, '../../../../../docs/verify/verify.mjs')

/** Loads the script by `require`: in the published program (CommonJS), `import` is a `require`, which refuses URLs. */
export const loadVerifier = (): Verifier => createRequire(script)(script) as Verifier
