import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { supportedVersions } from '../../../src/core/store/db/server.ts'
import { tillgate, tillgateJson } from '../../support/cli.ts'
import { isPostgres, makeSandbox, query, until } from './sandbox.ts'

/** Debian's folder of versions; PostgreSQL's own packages for other systems have such a folder, too. */
const above = '/usr/lib/postgresql'
const versions = existsSync(above)
  ? readdirSync(above).filter((name) => existsSync(join(above, name, 'bin/initdb')))
  : []
const [major = ''] = versions.filter((name) => Number(name) >= supportedVersions.from && Number(name) < 18)
const pgBin = join(above, major, 'bin')

describe('--pg-bin', { skip: major === '' && `no PostgreSQL 15 to 17 in ${above}` }, () => {
  test('creates, stops, starts and recovers a database with the machine’s PostgreSQL, and never uses the bundled one', async (t) => {
    const dataDir = await makeSandbox(t)
    const options = { pgBin, machine: { packageRoot: '/nowhere' } }
    const first = await openEmbeddedDatabase(dataDir, options)
    const [server] = await query(
      first.connection,
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('data_checksums') as checksums,
         current_setting('fsync') as fsync, current_setting('listen_addresses') as network, upper('é') as upper, 'a' < 'B' as dictionary`,
    )
    const expected = { checksums: 'on', fsync: 'on', network: '', upper: 'É', dictionary: false }
    assert.deepEqual({ ...server }, { major: Number(major), ...expected })
    await query(first.connection, 'create table t (n int)', 'insert into t values (1)')
    await first.stop()
    assert.equal(isPostgres(first.pid), false)
    const second = await openEmbeddedDatabase(dataDir, options)
    await query(second.connection, 'insert into t values (2)')
    process.kill(second.pid, 'SIGKILL')
    await until(() => !isPostgres(second.pid))
    const third = await openEmbeddedDatabase(dataDir, options)
    assert.equal(third.started, true)
    const rows = await query(third.connection, 'select n from t order by n')
    assert.deepEqual(
      rows.map((row) => row['n']),
      [1, 2],
    )
  })

  test('refuses a database of another major version, and states how to upgrade', async (t) => {
    const sandbox = await makeSandbox(t)
    const [former, later, backup] = ['former', 'later', 'backup'].map((name) => join(sandbox, name))
    const own = ['--pg-bin', pgBin, '--data-dir', former!]
    const { id } = await tillgateJson(['location', 'create', '--name', 'Bistro', ...own])
    const { code, stderr } = await tillgate(['location', 'list', '--data-dir', former!])
    assert.equal(code, 2)
    const message = `requires PostgreSQL ${major}, but this Tillgate includes PostgreSQL \\d+: use PostgreSQL ${major} with --pg-bin\\. .*"tillgate backup <dir>".*"tillgate restore <dir>"`
    assert.match(stderr, new RegExp(message))
    assert.equal((await tillgate(['backup', backup!, ...own])).code, 0)
    assert.equal((await tillgate(['restore', backup!, '--data-dir', later!])).code, 0)
    const [restored] = await tillgateJson(['location', 'list', '--data-dir', later!])
    assert.deepEqual([restored.id, restored.name], [id, 'Bistro'])

    const { checks } = await tillgateJson(['doctor', ...own])
    const { status, detail } = checks.find(({ name }: { name: string }) => name === 'binaries')
    assert.equal(status, 'ok')
    assert.match(detail, new RegExp(`^PostgreSQL ${major}\\.\\d+.* in ${pgBin}$`))
    const { stderr: back } = await tillgate(['location', 'list', '--pg-bin', pgBin, '--data-dir', later!])
    assert.match(back, new RegExp(`requires PostgreSQL \\d+, but --pg-bin names PostgreSQL ${major}:`))
  })
})

test('--pg-bin states what is wrong with a directory, and what it must contain', async (t) => {
  const sandbox = await makeSandbox(t)
  const fake = async (name: string, script: string, mode = 0o755) => {
    const bin = join(sandbox, name)
    await mkdir(bin)
    for (const program of ['initdb', 'postgres']) {
      await writeFile(join(bin, program), script)
      await chmod(join(bin, program), mode)
    }
    return bin
  }
  const wrong: [dir: string, message: RegExp][] = [
    [join(sandbox, 'nowhere'), /nowhere does not have initdb and postgres: /],
    [await fake('old', '#!/bin/sh\necho "postgres (PostgreSQL) 14.9 (Debian)"\n'), /has PostgreSQL 14\.9: /],
    [await fake('new', '#!/bin/sh\necho "postgres (PostgreSQL) 19beta1"\n'), /has PostgreSQL 19beta1: /],
    [await fake('other', '#!/bin/sh\necho hello\n'), /--version" printed "hello\\n": /],
    [await fake('closed', '#!/bin/sh\n', 0o644), /closed\/postgres could not be started \(.*EACCES/],
  ]
  for (const [dir, message] of wrong) {
    const opening = openEmbeddedDatabase(join(sandbox, 'data'), { pgBin: dir })
    await assert.rejects(opening, (error: Error) => {
      assert.equal(error.name, 'EmbeddedDatabaseError')
      assert.match(error.message, message)
      const { from, to } = supportedVersions
      assert.ok(
        error.message.endsWith(
          `: --pg-bin must name the directory with initdb and postgres of PostgreSQL ${from} to ${to}`,
        ),
      )
      return true
    })
  }
})
