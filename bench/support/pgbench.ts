import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ConnectionOptions } from '../../src/core/embedded/database.ts'

const run = promisify(execFile)

/** Where pgbench may be: on the PATH, then in Debian's client packages, newest first. */
const places = ['', ...[18, 17, 16, 15].map((major) => `/usr/lib/postgresql/${major}/bin/`)]

async function findPgbench(): Promise<string | undefined> {
  for (const place of places) {
    const path = `${place}pgbench`
    if (place !== '' && !existsSync(path)) continue
    const isThere = await run(path, ['--version']).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

export type Pgbench = (query: { name: string; sql: string; clients: number; seconds: number }) => Promise<number>

/**
 * Runs one prepared statement repeatedly and resolves to its rate per second; undefined if pgbench is not installed.
 */
export async function findDatabaseLimit(
  directory: string,
  { host, port, user, password, database }: ConnectionOptions,
): Promise<Pgbench | undefined> {
  const pgbench = await findPgbench()
  if (!pgbench) return undefined
  return async ({ name, sql, clients, seconds }) => {
    const file = join(directory, `${name}.sql`)
    await writeFile(file, `${sql.replaceAll(/\s+/g, ' ')};\n`)
    const place = ['-h', host, '-p', String(port), '-U', user]
    const load = ['-n', '-M', 'prepared', '-f', file, '-c', String(clients), '-j', '1', '-T', String(seconds)]
    const { stdout } = await run(pgbench, [...place, ...load, database], {
      env: { ...process.env, PGPASSWORD: password },
    })
    const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
    if (rate === undefined) throw new Error(`pgbench printed:\n${stdout}`)
    return Number(rate)
  }
}
