import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesOf, newDirectory } from '../backup/support.ts'
import { main, start, tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { startNetwork } from '../../support/network.ts'
import { everyRecord, idOf, linesOf, order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const location = idOf('location', 7)
const orders = (from: number, n: number) => Array.from({ length: n }, (_, i) => order(orderOf(location, from + i)))

async function newSource(records: readonly unknown[] = []) {
  const database = await createDatabase()
  const options = { env: { DATABASE_URL: toUrl(database.connection) } }
  const input = linesOf([...everyRecord(location), ...records])
  const given = await tillgateJson(['import', '-'], { ...options, input })
  return { ...database, options, entries: given.accepted as number }
}

const passphraseFile = newDirectory()
await writeFile(passphraseFile, 'correct horse battery staple\n', { mode: 0o600 })

test('a backup is written, verified in a separate database, and restored; each command reports what it did', async () => {
  const { options, entries } = await newSource()
  const dir = newDirectory()
  const sealed = ['--passphrase-file', passphraseFile]
  const first = await tillgate(['backup', dir, ...sealed], options)
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, new RegExp(`^\\S+ {2}1 location, ${entries} new entries in 1 segment\n$`))
  const again = await tillgateJson(['backup', dir, ...sealed], options)
  assert.deepEqual([again.entries, again.segments, again.locations], [0, 0, 1])
  const proved = await tillgateJson(['backup', 'verify', dir, ...sealed], options)
  assert.deepEqual([proved.verified, proved.locations, proved.entries], [true, 1, entries])
  const target = { env: { DATABASE_URL: toUrl((await createDatabase()).connection) } }
  const restored = await tillgate(['restore', dir, ...sealed], target)
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, new RegExp(`^restored {2}1 location, ${entries} entries, as of \\S+\n$`))
  const exported = await Promise.all([options, target].map((from) => tillgate(['export'], from)))
  assert.equal(exported[1]?.stdout, exported[0]?.stdout)
  const { code, stdout } = await tillgate(['verify'], target)
  assert.equal(code, 0)
  assert.match(
    stdout,
    new RegExp(
      `^verified {2}${location} {2}${entries + 1} entries\nresumed {3}${location} {2}after ${entries} at \\d+000000: restored from a backup\n`,
    ),
  )
})

test('a damaged backup, a wrong passphrase and a target with data exit with 2 and a code for scripts', async () => {
  const { options } = await newSource()
  const dir = newDirectory()
  await tillgateJson(['backup', dir, '--passphrase-file', passphraseFile], options)
  const codeOf = async (args: string[]) => {
    const { code, stderr } = await tillgate([...args, '--json'], options)
    assert.equal(code, 2, stderr)
    return JSON.parse(stderr).error.code as string
  }
  const wrong = newDirectory()
  await writeFile(wrong, 'another passphrase\n')
  const short = newDirectory()
  await writeFile(short, 'short\n')
  assert.equal(await codeOf(['restore', dir]), 'backup_passphrase')
  assert.equal(await codeOf(['restore', dir, '--passphrase-file', wrong]), 'backup_passphrase')
  assert.equal(await codeOf(['restore', dir, '--passphrase-file', short]), 'usage')
  assert.equal(await codeOf(['restore', dir, '--passphrase-file', join(dir, 'no')]), 'file_unreadable')
  assert.equal(await codeOf(['restore', dir, '--passphrase-file', passphraseFile]), 'target_not_empty')
  assert.equal(await codeOf(['restore', newDirectory()]), 'backup_invalid')
  assert.equal(await codeOf(['backup', join(wrong, 'below-a-file')]), 'file_unreadable')
  const lost = newDirectory()
  await mkdir(lost)
  await symlink(join(lost, 'nowhere'), join(lost, 'keys'))
  assert.equal(await codeOf(['backup', lost]), 'output_failed')
  for (const { file } of (await filesOf(dir)).values()) {
    if (file.includes('journal')) await writeFile(join(dir, file), 'not this')
  }
  assert.equal(await codeOf(['backup', 'verify', dir, '--passphrase-file', passphraseFile]), 'backup_damaged')
})

test(
  'a directory that cannot be created is named',
  { skip: !existsSync('/proc/self') && 'there is no /proc' },
  async () => {
    // Node's recursive `mkdir` never ends for such a path: the command would be killed, and have no exit code.
    const ended = async (args: string[], env: Record<string, string> = {}) => {
      const running = start(process.execPath, [main, ...args], { env })
      const killing = setTimeout(() => running.child.kill('SIGKILL'), 60_000)
      const { code, stderr } = await running.ended
      clearTimeout(killing)
      assert.equal(code, 2, stderr)
      return stderr
    }
    const { options } = await newSource()
    // ENOENT is also the error of a socket whose server is gone, but here it is not about the database.
    const [backup, serve] = await Promise.all([
      ended(['backup', '/proc/tillgate/backup'], options.env),
      ended(['serve', '--data-dir', '/proc/tillgate/data']),
    ])
    assert.match(backup, /the directory \/proc\/tillgate cannot be written: ENOENT/)
    assert.match(serve, /The data directory \/proc\/tillgate\/data cannot be used/)
  },
)

test('the next run completes a backup that was killed', async () => {
  const { options, entries } = await newSource(orders(100, 4_000))
  const dir = newDirectory()
  const running = start(process.execPath, [main, 'backup', dir], options)
  // The run is killed as soon as a file exists, whether or not a segment is complete by then.
  await eventually(async () => (await readdir(dir).catch(() => [])).length > 0, 'the first file is begun')
  running.child.kill('SIGKILL')
  await running.ended
  const completed = await tillgate(['backup', dir], options)
  assert.equal(completed.code, 0, completed.stderr)
  const proved = await tillgateJson(['backup', 'verify', dir], options)
  assert.deepEqual([proved.verified, proved.entries], [true, entries])
})

test('with --follow pushes are in the backup without another command, also after the database was unavailable', async () => {
  const { options, entries, connection } = await newSource()
  const network = await startNetwork(connection)
  const through = { env: { DATABASE_URL: network.connection.url } }
  const dir = newDirectory()
  const running = start(process.execPath, [main, 'backup', dir, '--follow', '--interval', '0.1', '--json'], through)
  const lines = () => running.written.stdout.split('\n').filter((line) => line !== '')
  await eventually(async () => lines().length === 1, 'the first run is over')
  assert.equal(JSON.parse(lines()[0] as string).entries, entries)
  await tillgateJson(['import', '-', '--location', location], { ...options, input: linesOf(orders(100, 3)) })
  await eventually(async () => lines().length === 2, 'the news is written')
  assert.equal(JSON.parse(lines()[1] as string).entries, 3)
  network.become('closes')
  await eventually(async () => running.written.stderr.includes('does not answer, retrying'), 'the database is missed')
  await tillgateJson(['import', '-', '--location', location], { ...options, input: linesOf(orders(200, 2)) })
  network.become('open')
  await eventually(async () => lines().length === 3, 'what came meanwhile is written')
  assert.equal(JSON.parse(lines()[2] as string).entries, 2)
  running.child.kill('SIGTERM')
  await once(running.child, 'close')
  await network.close()
  const proved = await tillgateJson(['backup', 'verify', dir], options)
  assert.equal(proved.entries, entries + 5)
})

test('a killed verification leaves neither decrypted data nor a running server', async () => {
  const { options } = await newSource(orders(1_000, 400))
  const dir = newDirectory()
  await tillgateJson(['backup', dir, '--passphrase-file', passphraseFile], options)
  const scratch = newDirectory()
  await mkdir(scratch)
  for (const path of [scratch, join(scratch, '..')]) await chmod(path, 0o711)
  const verifying = start(process.execPath, [main, 'backup', 'verify', dir, '--passphrase-file', passphraseFile], {
    env: { TMPDIR: scratch },
  })
  const postmaster = async () => {
    const [made = ''] = await readdir(scratch)
    const text = await readFile(join(scratch, made, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
    return text.split('\n').length > 7 ? Number(text.split('\n')[0]) : 0
  }
  await eventually(async () => (await postmaster()) > 0, 'its database runs')
  const pid = await postmaster()
  verifying.child.kill('SIGKILL')
  await verifying.ended
  await eventually(async () => (await readdir(scratch)).length === 0, 'all of it is removed')
  assert.throws(() => process.kill(pid, 0), /ESRCH/)
})
