import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isSystemError } from './error.ts'
import { findText, writePrivateFile } from './files.ts'
import { findProcessMark } from './processes.ts'

/**
 * Holds what a postmaster says about itself in `postmaster.pid`. It writes the file line by line, so late fields may be missing
 * for a moment. `status` is `starting`, `ready`, `stopping` or empty; `mark` names the live process, undefined when the
 * postmaster is gone and the file was left behind.
 */
export type PostmasterFile = { pid: number; socketDir: string; status: string; mark: string | undefined }

/** Reads the file, undefined when there is none, and checks that the process of that id really is the postmaster. */
export async function findPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await findText(filePath(cluster))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10)) || 0
  const mark = findProcessMark(pid)
  return {
    pid,
    socketDir: lines[4] ?? '',
    status: (lines[7] ?? '').trim(),
    mark: mark !== undefined && isPostmasterOf(pid, cluster) ? mark : undefined,
  }
}

/**
 * Makes a file that was left behind harmless when its process id now belongs to another program, as happens after a
 * container or the machine started again: PostgreSQL would take that program for a postmaster and refuse to start. The id
 * becomes ours, which PostgreSQL knows to be its parent. The file is not deleted: its other lines let PostgreSQL notice
 * processes of the old server that still run.
 */
export async function disarmPostmasterFile(cluster: string, file: PostmasterFile): Promise<void> {
  if (file.mark !== undefined || findProcessMark(file.pid) === undefined || file.pid === process.pid) return
  const [, ...rest] = ((await findText(filePath(cluster))) ?? '').split('\n')
  await writePrivateFile(filePath(cluster), [process.pid, ...rest].join('\n'))
}

function filePath(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

/** When the system does not let us look, the answer is yes: the socket decides then. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') {
    const options = { encoding: 'utf8', stdio: 'pipe' } as const
    try {
      return execFileSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], options).includes(`-D ${cluster} `)
    } catch {
      return true
    }
  }
  try {
    // A postmaster works in its cluster. The inode stays the same when a directory above is renamed.
    return isSameDirectory(`/proc/${pid}/cwd`, cluster)
  } catch {
    // Root in a container may not look into processes of other users, but may read their command lines.
  }
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const directory = args[args.indexOf('-D') + 1] ?? ''
    return (args[0] ?? '').endsWith('/postgres') && isSameDirectory(directory, cluster)
  } catch (error) {
    return !isSystemError(error, 'ENOENT', 'ESRCH')
  }
}

function isSameDirectory(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)]
  return a.dev === b.dev && a.ino === b.ino
}
