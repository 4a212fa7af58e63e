import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findPrograms, placePrograms } from '../../scripts/postgres-programs.ts'
import { findNoRoom, reportsNoAccount, reportsOther } from '../../src/core/embedded/error.ts'
import { isStale } from '../../src/core/store/db/driver/stale-statements.ts'
import { openPool } from '../../src/core/store/db/database.ts'
import { supportedVersions } from '../../src/core/store/db/server.ts'
import { findDamage } from '../../src/modules/operations/store/damage.ts'
import { tillgate } from '../support/cli.ts'
import { atEnd } from '../support/database.ts'
import { PostgresNode } from '../support/matrix/postgres-node.ts'
import { freePort } from '../support/ports.ts'
import { eventually } from '../support/waiting.ts'

// PostgreSQL states some facts only in texts, or in a name of its source: Tillgate must recognize those of each major
// version.

const run = promisify(execFile)

const isRoot = process.getuid?.() === 0

/** Runs a shell script in its own mount namespace. Resolves to its output, which includes errors. */
async function outputOf(script: string): Promise<string> {
  return run('unshare', ['-m', 'sh', '-c', `${script} 2>&1`]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

const as = (uid: number | string, gid: number | string) => `setpriv --reuid=${uid} --regid=${gid} --clear-groups`

const nobody = as('nobody', 'nogroup')

const folder = await mkdtemp(join(tmpdir(), 'tillgate-texts-'))
await chmod(folder, 0o777)
const nodes: PostgresNode[] = []
atEnd(async () => {
  for (const node of nodes) await node.stop()
  await rm(folder, { recursive: true, force: true })
})

const majors = Array.from(
  { length: supportedVersions.to - supportedVersions.from + 1 },
  (_, i) => supportedVersions.from + i,
)

async function startNode(major: number): Promise<{ node: PostgresNode; bin: string }> {
  const place = await mkdtemp(join(folder, `${major}-`))
  await chmod(place, 0o777)
  const bin = placePrograms(findPrograms(major), place)
  const node = new PostgresNode(join(place, 'pg'), await freePort(), bin)
  await node.create(['fsync = off'])
  await node.start()
  nodes.push(node)
  return { node, bin }
}

for (const major of majors) {
  const isThere = existsSync(join(findPrograms(major), 'postgres'))
  describe(
    `PostgreSQL ${major}`,
    { skip: isThere ? false : `there are no programs of PostgreSQL ${major}` },
    async () => {
      if (!isThere) return
      const { node, bin } = await startNode(major)
      const { port } = node
      const urlOf = (user: string, database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`

      test('names the file of a damaged page, which leads to the table', async () => {
        await node.ask('create table till (id int, text text)')
        await node.ask(`insert into till select n, repeat('x', 100) from generate_series(1, 500) n`)
        const [row] = await node.ask<{ path: string }>(`select pg_relation_filepath('till') as path`)
        await node.ask('checkpoint')
        await node.stop()
        const file = await open(join(node.data, row?.path ?? ''), 'r+')
        await file.write(Buffer.alloc(24, 0xa5), 0, 24, 8_192)
        await file.close()
        await node.start()
        const pool = openPool(node.connection, { connections: 1, pipelining: true })
        const error: unknown = await pool`select count(text) from till`.catch((thrown: unknown) => thrown)
        const damage = await findDamage(pool, error)
        await pool.end({ timeout: 1 })
        assert.equal(damage?.table, 'till', (error as Error).message)
      })

      test('reports a stale prepared statement with a recognizable location', async () => {
        const client = new Client({ connectionString: urlOf('postgres', 'postgres') })
        await client.connect()
        await client.query('create table changing (a int)')
        const query = { name: 'all', text: 'select * from changing' }
        await client.query(query)
        await client.query('alter table changing add column b int')
        const error = await client.query(query).catch((thrown: unknown) => thrown)
        await client.end()
        assert.equal(isStale(error), true, JSON.stringify(error))
      })

      test('the error for an account without permission states the grant to ask for', async () => {
        await node.ask('create role till login')
        await node.ask('create database closed owner postgres')
        // From version 15 on, only the owner can create tables.
        const closed = await tillgate(['migrate'], { env: { DATABASE_URL: urlOf('till', 'closed') } })
        assert.match(closed.stderr, /grant usage, create on schema public to/)
        const away = new Client({ connectionString: urlOf('postgres', 'closed') })
        await away.connect()
        await away.query('revoke usage on schema public from public')
        await away.end()
        const without = await tillgate(['migrate'], { env: { DATABASE_URL: urlOf('till', 'closed') } })
        assert.match(without.stderr, /grant usage, create on schema public to/)
      })

      test(
        'reports that an account has no name, and that the disk or shared memory is full',
        { skip: !isRoot },
        async () => {
          const make = (data: string) =>
            `${join(bin, 'initdb')} -D ${data} -U postgres -A trust --no-sync --locale=C -E UTF8`
          const nameless = await outputOf(`${as(64_321, 64_321)} ${make(join(folder, 'nameless'))}`)
          assert.ok(reportsNoAccount(nameless), nameless)
          const disk = join(folder, `disk-${major}`)
          const small = `mkdir ${disk} && mount -t tmpfs -o size=12m,mode=777 small ${disk}`
          const full = await outputOf(`${small} && ${nobody} ${make(join(disk, 'pg'))}`)
          assert.match(findNoRoom(full) ?? full, /^the disk is full/)
          const memory = 'mount -t tmpfs -o size=8k,mode=777 small /dev/shm'
          await node.stop()
          const start = `timeout 20 ${nobody} ${join(bin, 'postgres')} -D ${node.data}`
          const unshared = await outputOf(`${memory} && ${start}`)
          assert.match(findNoRoom(unshared) ?? unshared, /^shared memory/)
          await node.start()
        },
      )

      test('reports that another server uses the files, even if only one of its processes is left', async () => {
        const again = `timeout 20 ${isRoot ? nobody : ''} ${join(bin, 'postgres')} -D ${node.data} -p ${await freePort()}`
        const twice = await run('sh', ['-c', `${again} 2>&1`]).catch((error: { stdout: string }) => error)
        assert.ok(reportsOther(twice.stdout), twice.stdout)

        const client = new Client({ connectionString: urlOf('postgres', 'postgres') })
        client.on('error', () => {})
        await client.connect()
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        const pid = rows[0]?.pid as number
        const postmaster = Number.parseInt(await readFile(join(node.data, 'postmaster.pid'), 'utf8'), 10)
        process.kill(pid, 'SIGSTOP')
        process.kill(postmaster, 'SIGKILL')
        await eventually(() => !existsSync(`/proc/${postmaster}`), 'the server is gone')
        const left = await run('sh', ['-c', `${again} 2>&1`]).catch((error: { stdout: string }) => error)
        process.kill(pid, 'SIGCONT')
        await eventually(() => !existsSync(`/proc/${pid}`), 'its process is gone')
        await client.end().catch(() => {})
        assert.match(left.stdout, /pre-existing shared memory block/)
        assert.ok(reportsOther(left.stdout))
      })
    },
  )
}
