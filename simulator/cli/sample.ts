import { hash } from 'node:crypto'
import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { writePrivateFile } from '../../src/core/embedded/files.ts'
import { makeDirectory } from '../../src/core/directories.ts'
import { hashKey, isWellFormedKey } from '../../src/core/domain/accounts/keys.ts'
import { defaultLocationSettings } from '../../src/core/ingest/write/locations.ts'
import { ingestSeveralLocations } from '../../src/core/ingest/receive/several-locations.ts'
import { WriteQueue } from '../../src/core/ingest/write/queue.ts'
import { createRestaurant, type Restaurant } from '../restaurant.ts'
import { sampleRecords } from '../simulation.ts'
import { listApiKeys, type ApiKey } from '../../src/core/store/accounts/api-keys.ts'
import type { Pool } from '../../src/core/store/db/database.ts'
import { findLocation, listLocations } from '../../src/core/contract/location/rows.ts'
import type { Database } from '../../src/core/server/database.ts'
import { CliError } from '../../src/core/server/errors.ts'
import { createApiKey } from '../../src/core/store/accounts/api-keys.ts'

/** Days of sales that the sample restaurant has at first. */
const sampleDays = 14

/** A key with this name marks a completely loaded sample. */
const keyName = 'sample'

import type { Sample } from '../../src/core/cli/serve.ts'

/** Yields the records of the sample as lines, in pieces of limited size. */
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
  const answer = await ingestSeveralLocations(new WriteQueue(pool, clock), source, options)
  const fault = answer.stopped ?? answer.results.find(({ status }) => status === 'rejected')
  if (fault) throw new Error(`line ${fault.line} of the sample: ${fault.detail}`)
}

const isActive = ({ revokedAt, expiresAt }: ApiKey) => !revokedAt && !(expiresAt && expiresAt <= new Date())

const readKey = async (keyFile: string) => (await readFile(keyFile, 'utf8').catch(() => '')).trim()

const isOf = (keys: readonly ApiKey[], text: string) => keys.some(({ hash }) => hash === hashKey(text))

/** The usual file of the key; the guides refer to it. */
const usualKeyFile = 'sample.key'

/** Returns the file of a replaced key. */
const ownKeyFile = (key: string) => `sample-${hash('sha256', key).slice(0, 8)}.key`

/**
 * Finds the key of an earlier start, which only the owner of the directory can read, so that a pasted command works
 * after a restart.
 */
async function findKept(dataDir: string, keys: readonly ApiKey[]): Promise<string | undefined> {
  const names = await readdir(dataDir).catch(() => [])
  const files = names.filter((name) => name === usualKeyFile || /^sample-[0-9a-f]{8}\.key$/.test(name))
  const kept = await Promise.all(files.map((name) => readKey(join(dataDir, name))))
  return kept.find((text) => isOf(keys.filter(isActive), text))
}

/**
 * Stores a new key; `mine` are the keys of this database. The key of another database is moved to another file, so that
 * it is not lost.
 */
async function keep(dataDir: string, key: string, mine: readonly ApiKey[], isAside: boolean): Promise<void> {
  await makeDirectory(dataDir, 0o700)
  if (isAside) return writePrivateFile(join(dataDir, ownKeyFile(key)), `${key}\n`)
  const usual = join(dataDir, usualKeyFile)
  const there = await readKey(usual)
  if (isWellFormedKey(there) && !isOf(mine, there)) await rename(usual, join(dataDir, ownKeyFile(there)))
  await writePrivateFile(usual, `${key}\n`)
}

/** Returns whether an embedded database exists in the data directory: then `sample.key` belongs to its sample. */
export async function isBesideEmbedded({ embedded }: Database, dataDir: string): Promise<boolean> {
  const others = embedded ? [] : await readdir(dataDir).catch(() => [])
  return others.some((name) => name.startsWith('postgres'))
}

/**
 * Creates the sample in an empty installation, or finds it in one that has it, with a key for all scopes. Throws
 * `CliError` if other locations exist: a sample must not be mixed with real data. With `isAside` the key goes to
 * another file, because `sample.key` belongs to another database.
 */
export async function prepareSample(pool: Pool, dataDir: string, isAside = false): Promise<Sample> {
  const restaurant = createRestaurant({ seed: 'sample', ordersPerDay: 40 })
  const { id: locationId, name } = restaurant.location
  if (!(await findLocation(pool, locationId)) && (await listLocations(pool)).length > 0) {
    throw new CliError(
      'sample_refused',
      '--sample needs an empty installation, but this one has locations: omit it, or choose another --data-dir',
    )
  }
  const keys = (await listApiKeys(pool, locationId)).filter((key) => key.name === keyName)
  if (keys.length === 0) await load(pool, restaurant, new Date())
  const kept = await findKept(dataDir, keys)
  if (kept !== undefined) return { locationId, name, key: kept }
  const grant = { locationId, name: keyName, recipientId: null, expiresAt: null }
  const { key } = await createApiKey(pool, 'test', { ...grant, scopes: ['read', 'webhooks', 'ingest'] }, new Date())
  await keep(dataDir, key, keys, isAside)
  return { locationId, name, key }
}
