import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Encrypter } from 'age-encryption'
import { generateKey } from '../../../src/modules/backup/format/age-seal.ts'
import { newDirectory } from '../backup/support.ts'
import { main, start } from '../../support/cli.ts'
import { idOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const folder = newDirectory()
mkdirSync(folder, { recursive: true })
const [sealed, identity, profile] = ['enc.zip.age', 'id.txt', 'profile.json'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

/** Writes files so large that the signal arrives before they are decrypted. */
async function seal(): Promise<void> {
  if (existsSync(sealed)) return
  const key = await generateKey()
  const encrypter = new Encrypter()
  encrypter.addRecipient(key.recipient)
  writeFileSync(identity, `${key.identity}\n`)
  writeFileSync(sealed, await encrypter.encrypt(randomBytes(64 * 2 ** 20)))
  writeFileSync(profile, JSON.stringify({ timeZone: 'Europe/Paris', currency: 'EUR' }))
}

const commands: [title: string, args: string[]][] = [
  ['year bring-back', ['year', 'bring-back', sealed, '--identity', identity]],
  ['verify --archive', ['verify', '--archive', sealed, '--identity', identity]],
  [
    'import --from square -',
    ['import', '--from', 'square', '--location', idOf('location', 1), '--profile', profile, '--dry-run', '-'],
  ],
]

for (const [title, args] of commands)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${title} leaves nothing in the temporary directory when ${signal} ends it`, async () => {
      await seal()
      const temporary = join(folder, `${args[0]}-${signal}`)
      mkdirSync(temporary)
      const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TMPDIR: temporary }
      const running = start(process.execPath, [main, ...args], { env, input: null })
      running.child.stdin?.write('what a till said of its guests')
      const found = () => readdirSync(temporary, { recursive: true })
      // Waits for the file of the command itself, not only for the folder.
      await eventually(() => found().some((name) => /zip|input/.test(String(name))), 'something is there')
      running.child.kill(signal)
      const ended = await running.ended
      assert.equal(ended.signal, signal, ended.stderr)
      assert.deepEqual(found(), [])
    })
  }
