import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashKey } from '../domain/keys.ts'
import { readJson } from '../domain/json-text.ts'
import { defaultLocationSettings } from '../ingest/locations.ts'
import { splitLines } from '../ingest/lines.ts'
import type { Location } from '../schemas/locations.ts'
import { listApiKeys, type ApiKey } from '../store/api-keys.ts'
import type { Pool } from '../store/database.ts'
import { findLocation, listLocations } from '../store/locations.ts'
import { CliError } from './errors.ts'
import { importRecords } from './import.ts'
import { createKey } from './keys.ts'
import { openRecordFile } from './record-files.ts'
import { packageRoot } from './version.ts'

/** A restaurant with some weeks of orders that comes with Tillgate. */
export const sampleFile = join(packageRoot, 'samples/bistro.ndjson.gz')

/** A key of this name says that the sample was loaded to its end. */
const keyName = 'sample'

export type Sample = { locationId: string; name: string; key: string }

async function readFirstLocation(path: string): Promise<Location> {
  const file = await openRecordFile(path)
  try {
    for await (const { bytes } of splitLines(file.read())) {
      const read = readJson(bytes)
      const record = (read.ok ? read.value : {}) as { type?: string; data?: Location }
      if (record.type === 'location' && record.data) return { ...record.data, id: record.data.id.toLowerCase() }
      break
    }
  } finally {
    await file.close()
  }
  throw new CliError('sample_invalid', `${path} does not begin with a location record`)
}

async function load(pool: Pool, path: string): Promise<void> {
  const file = await openRecordFile(path)
  try {
    const { rejected, stopped, results } = await importRecords(pool, file, undefined, defaultLocationSettings)
    const fault = stopped ?? results.find(({ status }) => status === 'rejected')
    if (rejected > 0 || stopped) throw new CliError('sample_invalid', `${path} line ${fault?.line}: ${fault?.detail}`)
  } finally {
    await file.close()
  }
}

const isActive = ({ revokedAt, expiresAt }: ApiKey) => !revokedAt && !(expiresAt && expiresAt <= new Date())

/** The key of the last start, kept in a file that only its owner reads, so that a pasted line works after a restart. */
async function findKept(keyFile: string, keys: readonly ApiKey[]): Promise<string | undefined> {
  const text = (await readFile(keyFile, 'utf8').catch(() => '')).trim()
  return keys.some(({ hash }) => hash === hashKey(text)) ? text : undefined
}

async function keep(dataDir: string, keyFile: string, key: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${keyFile}.${process.pid}`
  await writeFile(draft, `${key}\n`, { mode: 0o600 })
  await rename(draft, keyFile)
}

/**
 * Brings the sample into an empty installation, or finds it in one that has it, with a key for all scopes. Throws
 * `CliError` where other locations are: a sample has no place beside real data.
 */
export async function prepareSample(pool: Pool, dataDir: string, path: string): Promise<Sample> {
  const { id: locationId, name } = await readFirstLocation(path)
  if (!(await findLocation(pool, locationId)) && (await listLocations(pool)).length > 0) {
    throw new CliError('sample_refused', '--sample is for an empty installation, and this one has locations of its own')
  }
  const keys = (await listApiKeys(pool, locationId)).filter((key) => key.name === keyName)
  if (keys.length === 0) await load(pool, path)
  const keyFile = join(dataDir, 'sample.key')
  const kept = await findKept(keyFile, keys.filter(isActive))
  if (kept !== undefined) return { locationId, name, key: kept }
  const grant = { locationId, name: keyName, recipientId: null, expiresAt: null }
  const { key } = await createKey(pool, 'test', { ...grant, scopes: ['read', 'webhooks', 'ingest'] }, new Date())
  await keep(dataDir, keyFile, key)
  return { locationId, name, key }
}
