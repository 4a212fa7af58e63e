import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { newDirectory } from '../backup/support.ts'
import { startApp } from '../../support/app.ts'
import { main, start, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { blocksOf } from '../../support/guide-blocks.ts'
import { everyRecord } from '../../support/records.ts'

const blocks = blocksOf('docs/operate/backup.md').filter(({ role }) => role === 'run')
const lines = blocks.flatMap(({ text }) => text.split('\n'))
const commands = lines.filter((line) => line !== '' && !line.startsWith('#'))

const app = await startApp()
await app.store(everyRecord(app.location))
const target = await createDatabase()
const here = newDirectory()
await mkdir(join(here, 'mnt'), { recursive: true })
const program = join(here, 'tillgate')
await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
await chmod(program, 0o755)

test('docs/operate/backup.md has commands', () => {
  assert.ok(commands.length > 12, commands.join('\n'))
})

let recipient = ''

for (const command of commands) {
  test(`docs/operate/backup.md: ${command}`, async () => {
    const line = command
      .replaceAll('/mnt/', `${here}/mnt/`)
      .replace('age1…', recipient)
      .replace(/postgres:\/\/\S+/, toUrl(target.connection))
    // The shell that restores the embedded server has no DATABASE_URL.
    const env = { PATH: `${here}${delimiter}${process.env['PATH']}` }
    const own = { ...env, DATABASE_URL: toUrl(app.database.connection) }
    const { code, stdout, stderr } = await start('/bin/sh', ['-c', line], {
      cwd: here,
      env: line.includes('restore') ? env : own,
    }).ended
    assert.equal(code, 0, `${stdout}${stderr}`)
    if (command.includes('keygen')) recipient = stdout.trim()
  })
}
