import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool, type Connection, type Pool } from '../../src/core/store/db/database.ts'
import { migrate } from '../../src/core/store/db/migrations.ts'
import { atEnd } from './database.ts'
import { freePort } from './ports.ts'
import { eventually } from './waiting.ts'

const bin = '/usr/lib/postgresql/15/bin'

/** Why this machine cannot run a replica; false if it can. */
export const noReplica = existsSync(join(bin, 'pg_basebackup'))
  ? false
  : `${bin} is missing: no replica can be set up, install postgresql-15`

const run = promisify(execFile)

/** Runs a program as the account of the server, because PostgreSQL refuses to run as root. */
const asServer = (program: string, args: readonly string[]) =>
  process.getuid?.() === 0
    ? run('setpriv', ['--reuid=nobody', '--regid=nogroup', '--clear-groups', join(bin, program), ...args])
    : run(join(bin, program), [...args])

async function startNode(data: string, port: number): Promise<void> {
  const settings = [
    '',
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    'fsync = off',
  ]
  await appendFile(join(data, 'postgresql.auto.conf'), settings.join('\n') + '\n')
  // `pg_ctl -w` waits until the server answers; without -l, the server would keep our pipes open.
  await asServer('pg_ctl', ['-D', data, '-l', join(data, 'log'), '-w', '-t', '60', '-s', 'start'])
}

export type Pair = {
  primary: Connection
  standby: Connection
  /** Resolves when the standby has all data of the primary. */
  caughtUp(): Promise<void>
  /** From now on the standby receives nothing. */
  cut(): Promise<void>
  /** Promotes the standby with the data it has. */
  promote(): Promise<void>
}

/**
 * Starts a migrated primary with an asynchronous standby, both on Debian's PostgreSQL 15; they are removed at the end
 * of the file.
 */
export async function startPair(): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-standby-'))
  await chmod(folder, 0o777)
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  const [firstPort, secondPort] = [await freePort(), await freePort()]
  atEnd(async () => {
    for (const data of [second, first]) {
      await asServer('pg_ctl', ['-D', data, '-m', 'immediate', '-s', 'stop']).catch(() => {})
    }
    await rm(folder, { recursive: true, force: true })
  })
  const connectionOf = (port: number): Connection => ({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: '',
    database: 'postgres',
  })
  await asServer('initdb', ['-D', first, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'])
  await startNode(first, firstPort)
  const [primary, standby] = [connectionOf(firstPort), connectionOf(secondPort)]
  const pool = openPool(primary, { connections: 1, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  await migrate(pool)
  const from = ['-h', '127.0.0.1', '-p', String(firstPort), '-U', 'postgres']
  await asServer('pg_basebackup', ['-D', second, ...from, '-R', '-X', 'stream', '--checkpoint=fast'])
  await startNode(second, secondPort)
  const ask = openPool(standby, { connections: 1, pipelining: true })
  atEnd(() => ask.end({ timeout: 1 }))
  const lsnOf = async (of: Pool, name: string) => {
    const [row] = await of.unsafe<{ lsn: string }[]>(`select ${name}()::text as lsn`)
    return row?.lsn
  }
  return {
    primary,
    standby,
    async caughtUp() {
      const sent = await lsnOf(pool, 'pg_current_wal_flush_lsn')
      await eventually(
        async () => {
          const [row] = await ask<{ has: boolean }[]>`
            select coalesce(pg_last_wal_replay_lsn() >= ${sent ?? ''}::text::pg_lsn, false) as has`
          return row?.has === true
        },
        'the standby has caught up',
        60_000,
      )
    },
    async cut() {
      await ask`alter system set primary_conninfo = ''`
      await ask`select pg_reload_conf()`
      await eventually(
        async () => (await pool`select 1 from pg_stat_replication`).length === 0,
        'the standby is cut off',
        60_000,
      )
    },
    async promote() {
      await asServer('pg_ctl', ['-D', second, '-w', '-t', '60', '-s', 'promote'])
    },
  }
}

/** Opens an address that remains the same while the server behind it changes, as in a failover. */
export async function openRelay(
  first: Connection,
): Promise<{ connection: Connection; moveTo(next: Connection): void }> {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    if (!('port' in target)) throw new Error('the target has no port')
    const outgoing = connect(target.port, target.host)
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    incoming.pipe(outgoing).pipe(incoming)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  atEnd(async () => {
    server.close()
    cut()
  })
  return {
    connection: { ...first, port } as Connection,
    moveTo(next) {
      target = next
      cut()
    },
  }
}
