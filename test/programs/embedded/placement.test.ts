import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { chooseAccount } from '../../../src/core/embedded/accounts.ts'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { placeCluster, prepareDataDirectory } from '../../../src/core/embedded/placement.ts'
import {
  findAccount,
  isPostgres,
  makeSandbox,
  needsReachableCheckout,
  needsRoot,
  nobody,
  query,
  serverAccount,
  startOpener,
} from './sandbox.ts'

/** Creates a directory that only root can access, like /root. */
async function makeClosed(sandbox: string): Promise<string> {
  const closed = join(sandbox, 'closed')
  await mkdir(closed, { mode: 0o700 })
  return closed
}

function ownerOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Returns why no file system can be mounted here, or false. */
function needsMount(): string | false {
  const probe = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
  return probe.status === 0 ? false : 'needs the right to mount'
}

function mount(...args: string[]): void {
  assert.equal(spawnSync('mount', args).status, 0)
}

function unmount(path: string): void {
  assert.equal(spawnSync('umount', ['--lazy', path]).status, 0)
}

test(
  'root runs the server as an account of the machine, in the data directory if that account can enter it, and warns if the account is shared',
  { skip: needsRoot },
  async (t) => {
    const sandbox = await makeSandbox(t)
    // mkdtemp creates the directory with mode 0700. It is empty, so Tillgate may let other users pass through it.
    const dataDir = await mkdtemp(join(sandbox, 'data-'))
    const database = await openEmbeddedDatabase(dataDir)
    assert.equal((await stat(dataDir)).mode & 0o777, 0o711)
    assert.equal((await stat(join(dataDir, 'postgres'))).uid, serverAccount.uid)
    if (process.platform === 'linux') assert.equal(ownerOf(database.pid), serverAccount.uid)
    if (serverAccount !== nobody) assert.deepEqual(database.notices, [])
    const given = await mkdtemp(join(sandbox, 'given-'))
    await chown(given, nobody.uid, nobody.gid)
    const { notices } = await openEmbeddedDatabase(given)
    assert.match(notices.join(), /runs as nobody: other programs that run as nobody can read this database/)
  },
)

test(
  'an external cluster whose data directory was deleted is named when a new one is created for the same directory',
  { skip: needsRoot },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const [dataDir, systemDir] = [join(await makeClosed(sandbox), 'data'), join(sandbox, 'system')]
    await prepareDataDirectory(dataDir)
    const { home } = await placeCluster(dataDir, systemDir)
    await mkdir(join(home, 'postgres'))
    await rm(dataDir, { recursive: true })
    await prepareDataDirectory(dataDir)
    const again = await placeCluster(dataDir, systemDir)
    assert.notEqual(again.home, home)
    const [notice] = again.notices.filter((one) => one.startsWith('An earlier database'))
    assert.equal(notice, `An earlier database of ${dataDir} is still in ${home}: delete it if it is not needed`)
  },
)

test('PostgreSQL runs as the least shared account of the machine, never as root', () => {
  const account = (name: string, uid = 100) => ({ name, uid, gid: uid, switching: true })
  const chosen = (...accounts: ReturnType<typeof account>[]) => chooseAccount(accounts)?.name
  assert.equal(chosen(account('nobody'), account('postgres'), account('tillgate')), 'tillgate')
  assert.equal(chosen(account('nobody'), account('postgres'), account('www-data')), 'postgres')
  assert.equal(chosen(account('www-data'), account('nobody')), 'nobody')
  assert.equal(chosen(account('tillgate', 0), account('nobody')), 'nobody')
  assert.equal(chosen(account('www-data')), undefined)
})

test(
  'below an inaccessible directory the cluster is in the system directory, and a notice states this',
  { skip: needsRoot },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const dataDir = join(await makeClosed(sandbox), 'data')
    const first = await openEmbeddedDatabase(dataDir)
    const home = await readFile(join(dataDir, 'postgres.location'), 'utf8')
    assert.match(home, /^\/(var\/lib|usr\/local\/var)\/tillgate\/data-/)
    assert.equal(first.notices.length, 1)
    assert.ok(first.notices[0]?.includes(home) && first.notices[0].includes(join(sandbox, 'closed')))
    assert.equal(first.connection.host, join(home, 'postgres.socket'))
    assert.equal((await stat(first.connection.host)).mode & 0o777, 0o700)
    assert.equal((await stat(join(home, 'postgres'))).mode & 0o777, 0o700)
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
    await query(first.connection, 'create table t as select 1 as n')
    process.kill(first.pid, 'SIGKILL')
    const second = await openEmbeddedDatabase(dataDir)
    assert.deepEqual(second.notices, [`The database of ${dataDir} is in ${home}`])
    await query(second.connection, 'select n from t')
    assert.equal((await openEmbeddedDatabase(dataDir)).pid, second.pid)
  },
)

test(
  'an external database belongs to one data directory: a copy is refused, a moved one keeps it',
  { skip: needsRoot },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const machine = { systemDir: join(sandbox, 'system') }
    const closed = await makeClosed(sandbox)
    const [original, copy, moved] = [join(closed, 'one'), join(closed, 'two'), join(closed, 'three')]
    const first = await openEmbeddedDatabase(original, { machine })
    await query(first.connection, 'create table t as select 1 as n')
    const isSocket = async (path: string) => (await stat(path)).isSocket()
    await cp(original, copy, { recursive: true, filter: async (path) => !(await isSocket(path)) })
    await assert.rejects(openEmbeddedDatabase(copy, { machine }), {
      name: 'EmbeddedDatabaseError',
      message: new RegExp(`${copy} is a copy of ${original}`),
    })
    await rename(original, moved)
    const third = await openEmbeddedDatabase(moved, { machine })
    assert.equal(third.pid, first.pid)
    assert.match(third.notices.join('\n'), new RegExp(`moved from ${original}`))
    await query(third.connection, 'select n from t')
    await assert.rejects(openEmbeddedDatabase(copy, { machine }), { message: new RegExp(`is a copy of ${moved}`) })
  },
)

test('a pointer to a database that is not on this machine is refused', { skip: needsRoot }, async (t) => {
  const sandbox = await makeSandbox(t)
  const dataDir = join(await makeClosed(sandbox), 'data')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'postgres.location'), join(sandbox, 'elsewhere'))
  await assert.rejects(openEmbeddedDatabase(dataDir), {
    name: 'EmbeddedDatabaseError',
    message: /does not exist on this machine/,
  })
})

test(
  'a deleted data directory starts empty, and its remaining external database is named',
  { skip: needsRoot },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const machine = { systemDir: join(sandbox, 'system') }
    const dataDir = join(await makeClosed(sandbox), 'data')
    const first = await openEmbeddedDatabase(dataDir, { machine })
    await query(first.connection, 'create table t as select 1 as n')
    await first.stop()
    const left = await readFile(join(dataDir, 'postgres.location'), 'utf8')
    await rm(dataDir, { recursive: true })
    const second = await openEmbeddedDatabase(dataDir, { machine })
    await assert.rejects(query(second.connection, 'select n from t'), /does not exist/)
    assert.ok(second.notices.some((notice) => notice.includes(`still in ${left}`)))
  },
)

test('a directory with other files of a user is not opened to others', { skip: needsRoot }, async (t) => {
  const sandbox = await makeSandbox(t)
  const dataDir = await makeClosed(sandbox)
  await writeFile(join(dataDir, 'letter.txt'), '')
  const database = await openEmbeddedDatabase(dataDir, { machine: { systemDir: join(sandbox, 'system') } })
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
  assert.equal(database.connection.host.startsWith(join(sandbox, 'system', `${basename(dataDir)}-`)), true)
})

test('a cluster that has become inaccessible is not replaced by an empty one', { skip: needsRoot }, async (t) => {
  const sandbox = await makeSandbox(t)
  const above = join(sandbox, 'above')
  await (await openEmbeddedDatabase(join(above, 'data'))).stop()
  await chmod(above, 0o700)
  await assert.rejects(openEmbeddedDatabase(join(above, 'data')), {
    name: 'EmbeddedDatabaseError',
    message: new RegExp(`runs as \\w+, which can no longer access ${above}`),
  })
  assert.deepEqual((await readdir(join(above, 'data'))).includes('postgres.location'), false)
})

test('a system directory that others can write to is refused', { skip: needsRoot }, async (t) => {
  const sandbox = await makeSandbox(t)
  const dataDir = join(await makeClosed(sandbox), 'data')
  const systemDir = join(sandbox, 'system')
  await mkdir(systemDir)
  await chmod(systemDir, 0o777)
  await assert.rejects(openEmbeddedDatabase(dataDir, { machine: { systemDir } }), {
    name: 'EmbeddedDatabaseError',
    message: /must belong to root/,
  })
})

test("in another user's data directory root runs the server as that user", { skip: needsRoot }, async (t) => {
  const dataDir = join(await makeSandbox(t), 'data')
  const daemon = findAccount('daemon')
  await mkdir(dataDir, { mode: 0o700 })
  await chown(dataDir, daemon.uid, daemon.gid)
  const database = await openEmbeddedDatabase(dataDir)
  assert.deepEqual(database.notices, [])
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
  for (const name of ['postgres', 'postgres.password', 'postgres.log', 'postgres.socket']) {
    assert.deepEqual({ name, uid: (await stat(join(dataDir, name))).uid }, { name, uid: daemon.uid })
  }
})

test(
  'an ordinary user has everything in the data directory, and root can use it',
  { skip: needsReachableCheckout() },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const dataDir = join(sandbox, 'plain/data')
    await mkdir(join(sandbox, 'plain'))
    await chown(join(sandbox, 'plain'), nobody.uid, nobody.gid)
    const plain = startOpener(t, dataDir, nobody)
    const opened = await plain.opened
    assert.equal(opened.error, undefined)
    assert.equal(opened.started, true)
    assert.deepEqual(opened.notices, [])
    assert.equal(opened.connection.host, join(dataDir, 'postgres.socket'))
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
    await query(opened.connection, 'create table t as select 1 as n')
    const root = await openEmbeddedDatabase(dataDir)
    assert.equal(root.pid, opened.pid)
    await query(root.connection, 'select n from t')
    assert.equal(await root.release(), false)
    await plain.end('release')
    assert.equal(isPostgres(opened.pid), false)

    const rootAgain = await openEmbeddedDatabase(dataDir)
    await rootAgain.release()
    const plainAgain = startOpener(t, dataDir, nobody)
    assert.equal((await plainAgain.opened).error, undefined)
    await plainAgain.end('release')
  },
)

test('an ordinary user gets an error if a directory is not writable', { skip: needsReachableCheckout() }, async (t) => {
  const sandbox = await makeSandbox(t)
  const refused = startOpener(t, join(sandbox, 'data'), nobody)
  assert.match(
    (await refused.opened).error ?? '',
    /EmbeddedDatabaseError: The data directory .*data cannot be used: permission denied/,
  )
  await refused.end()

  const dataDir = join(sandbox, "root's")
  const database = await openEmbeddedDatabase(dataDir)
  const stranger = startOpener(t, dataDir, nobody)
  assert.match(
    (await stranger.opened).error ?? '',
    /EmbeddedDatabaseError: .*permission denied; run Tillgate as the owner/,
  )
  await stranger.end()
  assert.equal(isPostgres(database.pid), true)
})

test(
  'a full disk is reported, and the directory works once there is space',
  { skip: needsRoot || needsMount() },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const disk = join(sandbox, 'disk')
    await mkdir(disk)
    mount('-t', 'tmpfs', '-o', 'size=20m,mode=755', 'none', disk)
    try {
      await assert.rejects(openEmbeddedDatabase(join(disk, 'data')), {
        name: 'EmbeddedDatabaseError',
        message: /the disk is full/,
      })
      mount('-o', 'remount,size=100m', disk)
      const database = await openEmbeddedDatabase(join(disk, 'data'))
      await query(database.connection, 'create table t as select 1 as n')
      process.kill(database.pid, 'SIGKILL')
      await writeFile(join(disk, 'ballast'), Buffer.alloc(2 ** 20 * 80)).catch(() => {})
      // The killed server may have left files that PostgreSQL needs for a start.
      await openEmbeddedDatabase(join(disk, 'data')).then(
        ({ stop }) => stop(),
        ({ message }) => assert.match(message, /the disk is full/),
      )
      await rm(join(disk, 'ballast'))
      const again = await openEmbeddedDatabase(join(disk, 'data'))
      await query(again.connection, 'select n from t')
      await again.stop()
    } finally {
      unmount(disk)
    }
  },
)
