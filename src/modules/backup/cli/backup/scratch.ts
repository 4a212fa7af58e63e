import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOfNoRoom } from '../../../../core/embedded/error.ts'
import { freeBytes } from '../../../../core/server/disk.ts'
import { CliError } from '../../../../core/server/errors.ts'

/**
 * A shell script. It waits until its standard input is closed, stops the server in the data directory `$1`, and
 * removes the directory, so that decrypted data does not outlive a killed command. If the file `postgres.location`
 * exists, it names the directory of the cluster, which is also removed.
 */
const guard = `
cat >/dev/null
home=$1
[ -f "$1/postgres.location" ] && home=$(cat "$1/postgres.location")
pid=$(head -n 1 "$home/postgres/postmaster.pid" 2>/dev/null)
if [ "\${pid:-0}" -gt 1 ]; then
  kill -QUIT "$pid"
  tries=0
  while kill -0 "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
fi
[ "$(cat "$home/data-directory" 2>/dev/null)" = "$1" ] && rm -rf "$home"
rm -rf "$1"
`

/** Free space that a temporary server needs: with less, PostgreSQL cannot write another log file (16 MiB). */
const roomNeeded = 32 * 1024 * 1024

/** Calls `work` with a temporary data directory, which is removed afterwards, even if this process is killed. */
export async function withScratch<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-backup-'))
  const guarding = spawn('/bin/sh', ['-c', guard, 'tillgate', dataDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell there is no clean-up after a kill; the work itself does not need one.
  guarding.on('error', () => {}).unref()
  guarding.stdin.on('error', () => {})
  try {
    return await work(dataDir)
  } catch (error) {
    const free = await freeBytes(dataDir).catch(() => Infinity)
    // A full disk may have ended the temporary server; the error then looks like a lost connection.
    if (free > roomNeeded && !isOfNoRoom(error)) throw error
    const place = `the directory for temporary files, ${tmpdir()}, is full`
    throw new CliError('output_failed', `${place}: set TMPDIR to a directory with space for the whole database`, {
      cause: error,
    })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
    guarding.stdin.end()
  }
}
