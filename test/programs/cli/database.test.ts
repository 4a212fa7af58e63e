import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { tillgate } from '../../support/cli.ts'

const elsewhere = await mkdtemp(join(tmpdir(), 'tillgate-elsewhere-'))
after(() => rm(elsewhere, { recursive: true, force: true }))

const location = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

for (const command of [
  ['key', 'list'],
  ['location', 'list'],
  ['export'],
  ['verify'],
  ['migrate'],
  ['rejected', 'list', '--location', location],
  ['webhook', 'list', '--location', location],
]) {
  test(`${command.join(' ')} in a directory without a database reports this, and creates none`, async () => {
    const dataDir = join(elsewhere, 'data')
    const { code, stdout, stderr } = await tillgate([...command, '--data-dir', dataDir, '--json'])
    assert.equal(code, 2)
    assert.equal(stdout, '')
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
    assert.equal(error.code, 'database_missing')
    assert.match(error.message, new RegExp(`no database in ${dataDir}: set --data-dir or DATABASE_URL`))
    assert.ok(!existsSync(dataDir))
  })
}
