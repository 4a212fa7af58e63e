import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { readVerifierKey } from '../../proofs/domain/notes.ts'
import { CliError } from '../../../core/server/errors.ts'
import { plainFile } from './archive/opened.ts'
import { loadVerifier, type Verifier } from './archive/verifier.ts'
import { addIdentity, readOpeningSecret } from '../../backup/cli/backup/secrets.ts'
import { oneLine, print, printJson } from '../../../core/cli/terminal/output.ts'

/** The result for a file. */
type Said = { file: string } & (
  | { verified: true; says: string; [name: string]: unknown }
  | { verified: false; reason: string }
)

type OfflineFlags = {
  proof?: string[]
  growth?: string[]
  archive?: string[]
  checkpoint?: string[]
  key?: string[]
  unsigned?: true
  identity?: string
  json?: true
}

const unreadable = (file: string, error: unknown) =>
  new CliError('file_unreadable', `${file} cannot be read: ${(error as Error).message}`, { cause: error })

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error)
  })

const isOfOtherKey = (error: unknown) => /not signed by this key|but the key to/.test((error as Error).message)

/** Tries keys in turn until one verifies the signature. */
async function byAnyKey<T>(keys: readonly string[], verify: (key: string) => Promise<T>): Promise<T> {
  let failed: unknown
  for (const key of keys) {
    try {
      return await verify(key)
    } catch (error) {
      if (failed === undefined || !isOfOtherKey(error)) failed = error
    }
  }
  throw failed
}

async function said(file: string, verify: () => Promise<{ says: string } & Record<string, unknown>>): Promise<Said> {
  try {
    return { file, verified: true, ...(await verify()) }
  } catch (error) {
    if (error instanceof CliError) throw error
    return { file, verified: false, reason: (error as Error).message }
  }
}

/** Verifies an archive: a ZIP, an encrypted ZIP, or the folder that a ZIP was unpacked into. */
async function verifyOneArchive(
  verifier: Verifier,
  file: string,
  { keys, flags }: { keys: readonly string[]; flags: OfflineFlags },
): Promise<Said> {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  const secret = await readOpeningSecret(flags)
  const plain = found.isDirectory()
    ? { path: file, close: async () => {} }
    : await plainFile(file, secret && 'identities' in secret ? secret.identities : [])
  try {
    return await said(file, async () => {
      const open = async () =>
        found.isDirectory() ? verifier.openFolder(file) : verifier.openZip(await openAsBlob(plain.path))
      return verifier.verifyArchive(await open(), keys, { unsigned: flags.unsigned === true })
    })
  } finally {
    await plain.close()
  }
}

async function verifyAll(flags: OfflineFlags, keys: readonly string[]): Promise<Said[]> {
  const { proof = [], growth = [], archive = [], checkpoint = [] } = flags
  if (keys.length === 0 && proof.length + growth.length > 0)
    throw new CliError('usage', '--key is required: the verifier key, obtained separately from the file')
  if (growth.length > 0 && checkpoint.length !== 1)
    throw new CliError('usage', '--growth requires --checkpoint, the older checkpoint that you kept')
  const verifier = loadVerifier()
  const all: Said[] = []
  for (const file of proof) {
    const text = await readText(file)
    const of = await said(file, async () => {
      const proven = await byAnyKey(keys, (key) => verifier.verifyProof(text, key))
      const { checkpoint: head, entry, isRedacted } = proven
      const { kind, id, seq, acceptedAt, locationId } = entry
      const what = { kind, id, location: locationId, sequence: seq, acceptedAt, isRedacted }
      return { says: verifier.describe(proven), ...what, origin: head.origin, size: head.size }
    })
    all.push(of)
  }
  for (const file of growth) {
    const [text, older] = [await readText(file), await readText(checkpoint[0] as string)]
    const of = await said(file, async () => {
      const grown = await byAnyKey(keys, (key) => verifier.verifyGrowth(text, older, key))
      return {
        says: verifier.describeGrowth(grown),
        origin: grown.after.origin,
        from: grown.before.size,
        size: grown.after.size,
      }
    })
    all.push(of)
  }
  for (const file of archive) all.push(await verifyOneArchive(verifier, file, { keys, flags }))
  return all
}

/** Returns a line for the result, and a line for each item that was not checked. */
function describeFile(one: Said): string {
  if (!one.verified) return `broken    ${one.file}  ${oneLine(one.reason)}`
  const [first = '', ...more] = one.says.split('\n').map(oneLine)
  return [`verified  ${one.file}  ${first}`, ...more.map((line) => `          ${one.file}  ${line}`)].join('\n')
}

/** Whether the flags name files, which are verified without a database. */
const isOffline = ({ proof, growth, archive }: OfflineFlags): boolean =>
  [proof, growth, archive].some((files) => files !== undefined)

/** Verifies only files: proofs, growth and archives. Exits with 1 if one is invalid. */
async function verifyOffline(flags: OfflineFlags): Promise<void> {
  const keys = flags.key ?? []
  for (const key of keys)
    if (!readVerifierKey(key))
      throw new CliError('usage', `--key must be a verifier key, name+id+key, not ${JSON.stringify(key)}`)
  const files = await verifyAll(flags, keys)
  const verified = files.every((one) => one.verified)
  if (flags.json) printJson({ verified, files })
  else for (const one of files) print(describeFile(one))
  if (!verified) process.exitCode = 1
}

/** The options of `verify` for files that it checks without a database. */
export const verifying = {
  define(command: Command): void {
    command
      .option('--proof <file...>', 'verify proofs of orders, reports or entries (.tlog-proof), with --key')
      .option('--growth <file...>', 'verify proofs that the journal only grew since --checkpoint, with --key')
      .option(
        '--archive <file...>',
        'verify archives of years: a ZIP, or the directory it was unpacked to; with --key also the signature',
      )
      .option(
        '--unsigned',
        'also verify an archive whose manifest is not signed by --key; checks that need the signature are reported as not checked',
      )
    addIdentity(command)
  },
  async verifyFiles(flags: OfflineFlags & { location?: string; since?: true }): Promise<boolean> {
    if (!isOffline(flags)) return false
    if (flags.since || flags.location !== undefined)
      throw new CliError(
        'usage',
        '--proof, --growth and --archive do not use the database: remove --since and --location',
      )
    await verifyOffline(flags)
    return true
  },
}
