import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { writePrivateFile } from '../embedded/files.ts'
import { makeDirectory } from '../directories.ts'
import { hashKey } from '../domain/keys.ts'
import { defaultLocationSettings } from '../ingest/locations.ts'
import { ingestSeveralLocations } from '../ingest/several-locations.ts'
import { Writer } from '../ingest/writer.ts'
import { createRestaurant, type Restaurant } from '../simulator/restaurant.ts'
import { sampleRecords } from '../simulator/simulation.ts'
import { listApiKeys, type ApiKey } from '../store/api-keys.ts'
import type { Pool } from '../store/database.ts'
import { findLocation, listLocations } from '../store/locations.ts'
import type { Database } from '../server/database.ts'
import { CliError } from '../server/errors.ts'
import { createApiKey } from '../store/api-keys.ts'

/** Days of sales that the sample restaurant has when it is brought in. */
const sampleDays = 14

/** A key of this name says that the sample was loaded to its end. */
const keyName = 'sample'

export type Sample = { locationId: string; name: string; key: string }

/** The sample's records as lines, in pieces of some size. */
function* sampleLines(restaurant: Restaurant, until: Date): Generator<Buffer> {
  let lines: string[] = []
  for (const record of sampleRecords(restaurant, sampleDays, until)) {
    if (lines.push(`${JSON.stringify(record)}\n`) < 100) continue
    yield Buffer.from(lines.join(''))
    lines = []
  }
  yield Buffer.from(lines.join(''))
}

async function load(pool: Pool, restaurant: Restaurant, now: Date): Promise<void> {
  const clock = () => new Date()
  const source = Readable.from(sampleLines(restaurant, now))
  const options = { pool, clock, settings: defaultLocationSettings }
  const answer = await ingestSeveralLocations(new Writer(pool, clock), source, options)
  const fault = answer.stopped ?? answer.results.find(({ status }) => status === 'rejected')
  if (fault) throw new Error(`line ${fault.line} of the sample: ${fault.detail}`)
}

const isActive = ({ revokedAt, expiresAt }: ApiKey) => !revokedAt && !(expiresAt && expiresAt <= new Date())

/** The key of the last start, kept in a file that only its owner reads, so that a pasted line works after a restart. */
async function findKept(keyFile: string, keys: readonly ApiKey[]): Promise<string | undefined> {
  const text = (await readFile(keyFile, 'utf8').catch(() => '')).trim()
  return keys.some(({ hash }) => hash === hashKey(text)) ? text : undefined
}

async function keep(dataDir: string, keyFile: string, key: string): Promise<void> {
  await makeDirectory(dataDir, 0o700)
  await writePrivateFile(keyFile, `${key}\n`)
}

/** Where the guides tell to look for it. */
const usualKeyFile = 'sample.key'

/**
 * The name of the file of the key. An embedded database in the data directory may have a sample of its own, whose key a server with
 * another database leaves alone: it names its file after that database.
 */
export async function keyFileFor({ embedded, place }: Database, dataDir: string): Promise<string> {
  const others = embedded ? [] : await readdir(dataDir).catch(() => [])
  if (!others.some((name) => name.startsWith('postgres'))) return usualKeyFile
  return `sample-${hash('sha256', place).slice(0, 8)}.key`
}

/**
 * Brings the sample into an empty installation, or finds it in one that has it, with a key for all scopes. Throws
 * `CliError` where other locations are: a sample has no place beside real data.
 */
export async function prepareSample(pool: Pool, dataDir: string, keyFileName = usualKeyFile): Promise<Sample> {
  const restaurant = createRestaurant({ seed: 'sample', ordersPerDay: 40 })
  const { id: locationId, name } = restaurant.location
  if (!(await findLocation(pool, locationId)) && (await listLocations(pool)).length > 0) {
    throw new CliError('sample_refused', '--sample is for an empty installation, and this one has locations of its own')
  }
  const keys = (await listApiKeys(pool, locationId)).filter((key) => key.name === keyName)
  if (keys.length === 0) await load(pool, restaurant, new Date())
  const keyFile = join(dataDir, keyFileName)
  const kept = await findKept(keyFile, keys.filter(isActive))
  if (kept !== undefined) return { locationId, name, key: kept }
  const grant = { locationId, name: keyName, recipientId: null, expiresAt: null }
  const { key } = await createApiKey(pool, 'test', { ...grant, scopes: ['read', 'webhooks', 'ingest'] }, new Date())
  await keep(dataDir, keyFile, key)
  return { locationId, name, key }
}
