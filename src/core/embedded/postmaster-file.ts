import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from './error.ts'
import { findText, writePrivateFile } from './files.ts'
import { runs } from './processes.ts'

/**
 * The content of `postmaster.pid`. A postmaster writes the file line by line, so late fields may be missing for a
 * moment. `status` is `starting`, `ready`, `stopping` or empty; `pid` is 0 if the file has none.
 */
export type PostmasterFile = { pid: number; socketDir: string; status: string }

export async function findPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await findText(filePath(cluster))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = /^-?[0-9]{1,10}$/.test(lines[0] ?? '') ? Math.abs(Number(lines[0])) : 0
  return { pid, socketDir: lines[4] ?? '', status: (lines[7] ?? '').trim() }
}

/**
 * Neutralizes a `postmaster.pid` left behind by a crash. The caller knows that no server of the cluster is running.
 *
 * If its process id now belongs to another program, as happens after a restart of a container or the machine,
 * PostgreSQL would take that program for a postmaster and refuse to start. The id is replaced by ours, which PostgreSQL
 * recognizes as its parent. The file is not deleted: its other lines let PostgreSQL notice processes of the old server.
 * A file without a process id, as a power cut may leave it, would only keep PostgreSQL from starting.
 */
export async function disarmPostmasterFile(cluster: string, file: PostmasterFile): Promise<void> {
  if (file.pid === 0) return rm(filePath(cluster), { force: true })
  if (!runs(file.pid) || file.pid === process.pid) return
  const [, ...rest] = ((await findText(filePath(cluster))) ?? '').split('\n')
  await writePrivateFile(filePath(cluster), [process.pid, ...rest].join('\n'))
}

const filePath = (cluster: string): string => join(cluster, 'postmaster.pid')

/**
 * Returns whether the process of that id is the cluster's postmaster. Undefined if the system cannot show it: a process
 * may be missing from `/proc` (another user namespace, `hidepid`), and a process of another namespace has no id here.
 */
export function isPostmasterOf(pid: number, cluster: string): boolean | undefined {
  if (process.platform !== 'linux') {
    const options = { encoding: 'utf8', stdio: 'pipe' } as const
    try {
      return execFileSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], options).includes(`-D ${cluster} `)
    } catch {
      return runs(pid) ? undefined : false
    }
  }
  try {
    // The working directory of a postmaster is its cluster. The inode stays the same when a directory above is renamed.
    return isSameDirectory(`/proc/${pid}/cwd`, cluster)
  } catch {
    // Root in a container may not inspect processes of other users, but may read their command lines.
  }
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const directory = args[args.indexOf('-D') + 1] ?? ''
    return (args[0] ?? '').endsWith('/postgres') && isSameDirectory(directory, cluster)
  } catch (error) {
    return isSystemError(error, 'ENOENT', 'ESRCH') && !runs(pid) ? false : undefined
  }
}

function isSameDirectory(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)]
  return a.dev === b.dev && a.ino === b.ino
}
