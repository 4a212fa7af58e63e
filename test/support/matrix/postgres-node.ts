import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'

const debian = '/usr/lib/postgresql/15/bin'

/** Why this machine has no PostgreSQL to run; false if it has one. */
export const noPostgres = existsSync(join(debian, 'initdb')) ? false : `${debian} is missing: install postgresql-15`

const run = promisify(execFile)

/** Runs a program as the account of the server, because PostgreSQL refuses to run as root. */
export function asServer(program: string, args: readonly string[]): Promise<unknown> {
  if (process.getuid?.() !== 0) return run(program, [...args])
  return run('setpriv', ['--reuid=nobody', '--regid=nogroup', '--clear-groups', program, ...args])
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [Number(line)]))
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`)

/** A PostgreSQL with its data in `data`, which may already exist; `bin` has its programs. */
export class PostgresNode {
  readonly data: string
  readonly port: number
  readonly #bin: string

  constructor(data: string, port: number, bin: string = debian) {
    this.data = data
    this.port = port
    this.#bin = bin
  }

  get connection(): Connection {
    return { host: '127.0.0.1', port: this.port, user: 'postgres', password: '', database: 'postgres' }
  }

  /** Creates the cluster with all durability settings on. */
  async create(settings: readonly string[] = []): Promise<void> {
    await asServer(join(this.#bin, 'initdb'), [
      '-D',
      this.data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
    ])
    await this.configure(settings)
  }

  async configure(settings: readonly string[]): Promise<void> {
    const own = [`port = ${this.port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''"]
    await appendFile(join(this.data, 'postgresql.auto.conf'), ['', ...own, ...settings, ''].join('\n'))
  }

  async copyFrom(primary: PostgresNode): Promise<void> {
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
    await asServer(join(this.#bin, 'pg_basebackup'), [
      '-D',
      this.data,
      ...from,
      '-R',
      '-X',
      'stream',
      '--checkpoint=fast',
    ])
    await this.configure([])
  }

  /**
   * Starts PostgreSQL and waits until it answers, including recovery. Processes of a killed server may still be ending.
   */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        // Without -l, the server would keep our pipes open.
        const args = ['-D', this.data, '-l', join(this.data, 'log'), '-w', '-t', '90', '-s', 'start']
        return void (await asServer(join(this.#bin, 'pg_ctl'), args))
      } catch (error) {
        if ((await this.pid()) !== undefined) return
        if (attempt === 20) throw error
        await delay(250)
      }
    }
  }

  async stop(): Promise<void> {
    await asServer(join(this.#bin, 'pg_ctl'), ['-D', this.data, '-m', 'immediate', '-s', 'stop']).catch(() => {})
  }

  async promote(): Promise<void> {
    await asServer(join(this.#bin, 'pg_ctl'), ['-D', this.data, '-w', '-t', '60', '-s', 'promote'])
  }

  /** Returns the process id of the postmaster, while it runs. */
  async pid(): Promise<number | undefined> {
    const file = await readFile(join(this.data, 'postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number.parseInt(file, 10)
    return Number.isNaN(pid) || !isRunning(pid) ? undefined : pid
  }

  /** Lists the process ids, that of the postmaster first. */
  async pids(): Promise<number[]> {
    const pid = await this.pid()
    return pid === undefined ? [] : [pid, ...(await childrenOf(pid))]
  }

  /** Kills the postmaster with `kill -9`; the other processes notice and end. */
  async kill(): Promise<void> {
    const pids = await this.pids()
    const [postmaster] = pids
    if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
    while (pids.some(isRunning)) await delay(20)
  }

  async ask<T>(text: string): Promise<T[]> {
    const pool = openPool(this.connection, { connections: 1, pipelining: true })
    try {
      return (await pool.unsafe(text)) as unknown as T[]
    } finally {
      await pool.end({ timeout: 1 })
    }
  }
}
