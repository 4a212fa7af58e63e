import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, stop, tillgate, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'

const { connection } = await createDatabase()
const home = await mkdtemp(join(tmpdir(), 'tillgate-home-'))
atEnd(() => rm(home, { recursive: true }))
const env = { DATABASE_URL: toUrl(connection), TILLGATE_OPERATIONS_ADDRESS: 'off' }

test('with DATABASE_URL the acknowledged position is stored in the state directory of the account', async () => {
  await stop(await serve([], { env: { ...env, XDG_STATE_HOME: home } }))
  const kept = await readdir(join(home, 'tillgate'))
  assert.ok(kept.includes('databases') && kept.includes('postgres.timelines'), kept.join())
})

test('if the acknowledged position cannot be stored the server runs, and doctor warns', async () => {
  const file = join(home, 'a-file')
  await writeFile(file, '')
  await chmod(file, 0o600)
  const closed = { ...env, XDG_STATE_HOME: file }
  const served = await serve([], { env: closed })
  assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
  assert.equal((await stop(served)).code, 0)
  assert.equal((await tillgate(['verify'], { env: closed })).code, 0)
  const { stdout } = await tillgate(['doctor', '--port', '0'], { env: closed })
  assert.match(stdout, /^warn {2}going back +last acknowledged entries: not stored in /m)
})
