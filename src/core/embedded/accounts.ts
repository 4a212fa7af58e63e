import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EmbeddedDatabaseError } from './error.ts'

/** The account of the server process. `switching`: Tillgate is root and starts the process under another identity. */
export type Account = { name: string; uid: number; gid: number; switching: boolean }

/** Any program may run as this account and read its files. */
export const sharedAccount = 'nobody'

/**
 * Finds the account of the server: Tillgate's own, unless that is root, which PostgreSQL refuses. For root it is the
 * ordinary user who owns the first existing one of `paths`, so that `sudo tillgate` leaves only files that the owner of
 * a directory can use; otherwise an account on the machine (`chooseAccount`).
 */
export async function findServerAccount(paths: string[]): Promise<Account> {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1]
  if (uid !== 0) return { name: `the user ${uid}`, uid, gid, switching: false }
  const accounts = await listAccounts()
  for (const path of paths) {
    const owner = await stat(path).catch(() => undefined)
    const account = accounts.find((account) => account.uid === owner?.uid && account.uid !== 0)
    if (account !== undefined) return account
  }
  const account = chooseAccount(accounts)
  if (account === undefined) {
    throw new EmbeddedDatabaseError(
      'PostgreSQL does not run as root and this machine has no account "nobody" in /etc/passwd: run Tillgate as an ordinary user, or set DATABASE_URL',
    )
  }
  return account
}

/** Chooses the least shared account that exists: `tillgate`, `postgres`, or `nobody`. */
export function chooseAccount(accounts: readonly Account[]): Account | undefined {
  const named = ['tillgate', 'postgres', sharedAccount].map((name) => accounts.find((one) => one.name === name))
  return named.find((account) => account !== undefined && account.uid !== 0)
}

async function listAccounts(): Promise<Account[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => {
      // macOS writes nobody as -2; stat and chown use 4294967294.
      return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0, switching: true }
    })
}

/** Returns the options that make `spawn` start a process as the account (it takes 32-bit signed numbers). */
export function spawnIdentity(account: Account): { uid?: number; gid?: number } {
  return account.switching ? { uid: account.uid | 0, gid: account.gid | 0 } : {}
}

/** Finds the first directory of `path`, including itself, that the account may not enter; undefined if there is none. */
export async function findClosedDirectory(account: Account, path: string): Promise<string | undefined> {
  if (!account.switching) return undefined
  const way = [await realpath(path)]
  while (way[0] !== undefined && dirname(way[0]) !== way[0]) way.unshift(dirname(way[0]))
  for (const directory of way) {
    if (!(await isAllowed(account, directory, 0o1))) return directory
  }
  return undefined
}

/** Returns whether the mode bits of `path` itself give the account `bits` (4 read, 2 write, 1 execute or enter). */
export async function isAllowed(account: Account, path: string, bits: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}
