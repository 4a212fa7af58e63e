import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './accounts.ts'
import type { Binaries, FoundBinaries } from './binaries.ts'
import { EmbeddedDatabaseError, NoRoomError, findNoRoom, reportsNoAccount } from './error.ts'
import { findText, giveTo, syncPath, writePrivateFile } from './files.ts'
import { describeSpawnFailure, run } from './processes.ts'

/** The role that Tillgate connects as and its database. It is not a superuser: SQL cannot reach the machine's files. */
export const role = 'tillgate'

type Context = { binaries: Binaries; account: Account; signal: AbortSignal | undefined }

/** Returns whether `cluster` exists. Throws if it is not a cluster, or has another major version than the binaries. */
export async function findCluster(cluster: string, { kind, major }: FoundBinaries): Promise<boolean> {
  if (!existsSync(cluster)) return false
  const version = (await findText(join(cluster, 'PG_VERSION')))?.trim()
  if (version === undefined) {
    throw new EmbeddedDatabaseError(
      `${cluster} is not a PostgreSQL database: move it away, or choose another --data-dir`,
    )
  }
  if (version !== String(major)) {
    throw new EmbeddedDatabaseError(
      `The database in ${cluster} requires PostgreSQL ${version}, but ${kind === 'machine' ? '--pg-bin names' : 'this Tillgate includes'} PostgreSQL ${major}: ` +
        `use PostgreSQL ${version} with --pg-bin. To upgrade, run "tillgate backup <dir>" with PostgreSQL ${version}, then "tillgate restore <dir>" with PostgreSQL ${major} into a new --data-dir`,
    )
  }
  return true
}

/**
 * Makes the cluster with role and database in a draft directory, flushes all of it to the disk, and moves it to its
 * final path with one rename: a crash at any moment leaves no cluster or a complete one.
 */
export async function createCluster(home: string, password: string, context: Context): Promise<void> {
  const { binaries, account, signal } = context
  for (const name of await readdir(home)) {
    if (name.startsWith('postgres.init-')) await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const draft = await mkdtemp(join(home, 'postgres.init-'))
  try {
    await giveTo(account, draft)
    // Texts are ordered by code point, and letters are those of Unicode, in every version. The provider came with 17.
    const builtin = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const locale = ['--encoding=UTF8', ...(binaries.major >= 17 ? builtin : ['--locale=C', '--lc-ctype=C.UTF-8'])]
    // --no-sync because the flush comes once, after the role and the database exist. The authentication that initdb
    // writes is replaced below before any server listens; --pwfile would need the password in a file that the account
    // can read.
    const options = ['--data-checksums', '--no-sync', '--no-instructions', '--auth=trust', '--username=postgres']
    await runOrThrow(binaries.initdb, ['-D', draft, ...locale, ...options], context)
    await writePrivateFile(join(draft, 'pg_hba.conf'), 'local all all scram-sha-256\n')
    const statements = [
      `create role ${role} login createdb password '${password}'`,
      `grant pg_monitor, pg_checkpoint to ${role}`,
      `create database ${role} owner ${role}`,
    ]
    await runAlone(draft, statements, ['-F'], context)
    await runOrThrow(binaries.initdb, ['-D', draft, '--sync-only'], context)
    signal?.throwIfAborted()
    await rename(draft, join(home, 'postgres'))
    await syncPath(home)
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Gives the role a new password. No server may run on the cluster. */
export async function changePassword(cluster: string, password: string, context: Context): Promise<void> {
  await runAlone(cluster, [`alter role ${role} password '${password}'`], [], context)
}

export async function findPassword(dataDir: string): Promise<string | undefined> {
  return findText(passwordPath(dataDir))
}

/** Stores the password where only the owner of the data directory can read it, not the server's account. */
export async function keepPassword(dataDir: string, password: string): Promise<void> {
  await writePrivateFile(passwordPath(dataDir), password)
}

export const randomPassword = (): string => randomBytes(32).toString('base64url')

const passwordPath = (dataDir: string): string => join(dataDir, 'postgres.password')

/** Runs statements, each on one line, on a cluster without a server: no socket is open while they run. */
async function runAlone(cluster: string, statements: string[], flags: string[], context: Context): Promise<void> {
  const args = ['--single', ...flags, '-D', cluster, '-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic']
  await runOrThrow(context.binaries.postgres, [...args, 'postgres'], context, `${statements.join(';\n')};\n`)
}

async function runOrThrow(program: string, args: string[], context: Context, input?: string): Promise<void> {
  const { account, signal } = context
  const options = { account, env: context.binaries.env, signal, ...(input === undefined ? {} : { input }) }
  const { ok, output } = await run(program, args, options).catch((error: unknown) => {
    throw describeSpawnFailure(error, program, account)
  })
  if (ok) return
  const noRoom = findNoRoom(output)
  if (noRoom) throw new NoRoomError(`The database could not be created because ${noRoom}`)
  if (reportsNoAccount(output)) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL needs ${account.name} to have an entry in /etc/passwd: add one, run Tillgate as another user, or set DATABASE_URL`,
    )
  }
  const end = output.trimEnd().split('\n').slice(-8).join('\n')
  throw new EmbeddedDatabaseError(`The database could not be created; last output of PostgreSQL:\n${end}`)
}
