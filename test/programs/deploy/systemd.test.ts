import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { envExample } from '../../../scripts/env-example.ts'
import { generateKey } from '../../../src/modules/backup/format/age-seal.ts'
import { createOpener } from '../../../src/modules/backup/format/encryption.ts'
import { readManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { restoreBackup } from '../../../src/modules/backup/format/restore.ts'
import { readOpeningSecret } from '../../../src/modules/backup/cli/backup/secrets.ts'
import { settings } from '../../../src/core/config.ts'
import { addLocation } from '../../support/app.ts'
import { tillgate, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { needs, run } from '../../support/tools.ts'

const folder = join(import.meta.dirname, '../../../deploy/systemd')
const units = readdirSync(folder).filter((name) => /\.(service|socket|timer)$/.test(name))
const services = units.filter((name) => name.endsWith('.service'))
const scratch = await mkdtemp(join(tmpdir(), 'tillgate-units-'))
atEnd(() => rm(scratch, { recursive: true, force: true }))

describe('the systemd units', needs('systemd-analyze'), () => {
  for (const name of services) {
    test(`${name} is restricted: an exposure of at most 1.5`, async () => {
      const { stdout } = await run('systemd-analyze', ['security', '--offline=true', join(folder, name)])
      const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
      assert.ok(Number(level) <= 1.5, `${level}`)
    })
  }

  test('contain nothing unknown to systemd', async () => {
    const { stderr } = await run(
      'systemd-analyze',
      ['verify', '--man=no', ...units.map((name) => join(folder, name))],
      {
        cwd: folder,
      },
    ).catch((error: { stderr: string }) => error)
    // The package brings the program.
    const complaints = stderr.split('\n').filter((line) => !/^$|\/usr\/bin\/tillgate is not executable/.test(line))
    assert.deepEqual(complaints, [])
  })
})

/** Returns the program and the variables of the unit. The settings file takes precedence over the unit. */
function readUnit(name: string, settingsFile: string): { command: string[]; env: Record<string, string> } {
  const text = readFileSync(join(folder, name), 'utf8')
  const own = [...text.matchAll(/^Environment=(\w+)=(.*)$/gm)]
  assert.match(text, /^EnvironmentFile=-\/etc\/tillgate\/tillgate\.env$/m)
  const given = [...readFileSync(settingsFile, 'utf8').matchAll(/^(\w+)=(.*)$/gm)]
  const env: Record<string, string> = Object.fromEntries([...own, ...given].map(([, key, value]) => [key, value]))
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
  const expanded = command.replaceAll(/\$\{(\w+)\}/g, (_, key: string) => env[key] ?? '')
  return { command: expanded.split(' '), env }
}

test('the timer makes a backup encrypted to the recipient in /etc/tillgate/tillgate.env', async () => {
  const { connection, pool } = await createDatabase()
  await addLocation(pool)
  const { identity, recipient } = await generateKey()
  const [settingsFile, identityFile, dir] = ['tillgate.env', 'identity.txt', 'backup'].map((name) =>
    join(scratch, name),
  )
  await writeFile(identityFile as string, identity)
  // The file as installed by the package, with two lines added by an operator, and the database of this test.
  const installed = envExample().replace(/^#(TILLGATE_BACKUP_RECIPIENT)=.*$/m, `$1=${recipient}`)
  await writeFile(settingsFile as string, `${installed}BACKUP_DIRECTORY=${dir}\nDATABASE_URL=${toUrl(connection)}\n`)
  const { command, env } = readUnit('tillgate-backup.service', settingsFile as string)
  const [program, ...args] = command
  assert.equal(program, '/usr/bin/tillgate')
  const { code, stderr } = await tillgate(args, { env })
  assert.equal(code, 0, stderr)
  const { encryption } = await readManifest(dir as string)
  assert.deepEqual(encryption?.kdf === 'age' && encryption.recipients, [recipient])
  const opener = await createOpener(await readOpeningSecret({ identity: identityFile as string }), encryption)
  const target = await createDatabase()
  const options = { dir: dir as string, opener, now: new Date(), delivers: false }
  assert.equal((await restoreBackup(target.pool, await readManifest(dir as string), options)).locations, 1)
})

test('the units set no variable that causes a warning', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env))
  const set = units.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\bTILLGATE_\w+(?==)/g) ?? [])
  assert.ok(set.length > 0)
  assert.deepEqual(
    set.filter((name) => !known.has(name)),
    [],
  )
})
