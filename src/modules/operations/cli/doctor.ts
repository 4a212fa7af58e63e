import type { Command } from 'commander'
import { databaseSettings, readConfig, type Config } from '../../../core/config.ts'
import {
  checkBinaries,
  checkDatabase,
  checkDataDir,
  checkDescriptors,
  checkDisk,
  checkDiskTrend,
  checkNode,
  checkPort,
  type Check,
} from './checks.ts'
import { hasEmbeddedDatabase } from '../../../core/embedded/database.ts'
import { openDatabase, type DatabaseConfig } from '../../../core/server/database.ts'
import { checkRecords } from './record-checks.ts'
import { checkKept } from './kept-checks.ts'
import { checkReplica } from './replica-checks.ts'
import { showNotices } from '../../../core/cli/database.ts'
import { catchInterrupts } from '../../../core/cli/terminal/interrupts.ts'
import { addSettings, finish } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson } from '../../../core/cli/terminal/output.ts'

const names = [...databaseSettings, 'databaseReadUrl', 'diskReserve', 'host', 'port'] as const

type Examined = DatabaseConfig & Pick<Config, 'databaseReadUrl'>

async function examineDatabase(config: Examined, reserveBytes: number, signal: AbortSignal): Promise<Check[]> {
  if (config.databaseUrl === null && !(await hasEmbeddedDatabase(config.dataDir))) {
    return [{ name: 'database', status: 'ok', detail: 'none yet: the first start creates it' }]
  }
  try {
    const database = await openDatabase(config, { migrates: false, signal })
    showNotices(database)
    try {
      const checks = await checkDatabase(database.pool, database.place)
      checks.push(...(await checkRecords(database.pool)))
      checks.push(...(await checkKept(database)))
      const { directory } = database
      if (directory !== null) checks.push({ name: 'disk trend', ...(await checkDiskTrend(directory, reserveBytes)) })
      const { databaseReadUrl: url } = config
      return url === null ? checks : [...checks, ...(await checkReplica(database.pool, url, config))]
    } finally {
      await database.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    const [detail = '', ...log] = (error as Error).message.split('\n')
    const advice = log.length > 0 ? log.join('\n') : 'start it, or correct DATABASE_URL'
    return [{ name: 'database', status: 'fail', detail, advice }]
  }
}

async function run(flags: { json?: true }): Promise<void> {
  const config = readConfig(names, flags, process.env)
  const reserveBytes = config.diskReserve * 2 ** 20
  const interrupts = catchInterrupts()
  const checks: Check[] = [
    { name: 'node', ...checkNode() },
    { name: 'open files', ...(await checkDescriptors()) },
  ]
  try {
    if (config.databaseUrl === null) {
      checks.push({ name: 'binaries', ...(await checkBinaries(config.pgBin)) })
      checks.push({ name: 'data directory', ...(await checkDataDir(config.dataDir)) })
      checks.push({ name: 'disk', ...(await checkDisk(config.dataDir, reserveBytes)) })
    }
    checks.push(...(await examineDatabase(config, reserveBytes, interrupts.signal)))
    checks.push({ name: 'port', ...(await checkPort(config.host, config.port)) })
  } finally {
    interrupts.release()
  }
  const healthy = checks.every(({ status }) => status !== 'fail')
  if (flags.json) printJson({ ok: healthy, checks })
  else {
    for (const { name, status, detail, advice } of checks) {
      print(`${status.padEnd(4)}  ${name.padEnd(14)}  ${detail}${advice === undefined ? '' : `\n      -> ${advice}`}`)
    }
    note(healthy ? 'Ready.' : 'Not ready: see the lines with fail.')
  }
  if (!healthy) process.exitCode = 1
}

export function define(command: Command): void {
  command.description(
    'Check the requirements of Tillgate: Node, the embedded PostgreSQL, the data directory, the database and ' +
      'its settings, its read replica, the disk, clocks and port. Each line says what to do. Exits with 1 if a check fails.',
  )
  addSettings(command, names).action(run)
  finish(command, ['doctor', 'doctor --database-url postgres://tillgate@db.example/tillgate --json'])
}
