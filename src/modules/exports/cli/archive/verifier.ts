import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A ZIP by its directory. What `pieces` and `read` unpack is bounded by what the directory says, and that by what an archive can have. */
export type OpenedZip = {
  read(name: string): Promise<Uint8Array>
  pieces(name: string): AsyncIterable<Uint8Array>
  /** Bytes of a file, unpacked. */
  sizeOf(name: string): number
}

/** The script that auditors run, which archives carry too: what it says and what the command line says is the same. */
export type Verifier = {
  verifyProof(file: string, key: string): Promise<Proven>
  verifyGrowth(file: string, older: string, key: string): Promise<Grown>
  verifyArchive(archive: unknown, keys: readonly string[], options: { unsigned: boolean }): Promise<VerifiedArchive>
  openZip(blob: Blob): Promise<OpenedZip>
  openFolder(path: string): Promise<unknown>
  describe(proven: Proven): string
  describeGrowth(grown: Grown): string
}

/** `says` has `notChecked` too, a line each. `isSigned`: the manifest is, and with it tables and texts. */
type VerifiedArchive = { says: string; notChecked: string[]; isSigned: boolean }

type Head = { origin: string; size: number }

type Proven = {
  checkpoint: Head
  entry: { kind: string; id: string; seq: number; acceptedAt: string; locationId: string }
  isRedacted: boolean
}

type Grown = { before: Head; after: Head }

const script = join(import.meta.dirname, '../../../../../docs/verify/verify.mjs')

export const loadVerifier = (): Promise<Verifier> => import(pathToFileURL(script).href) as Promise<Verifier>
