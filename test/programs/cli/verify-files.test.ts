import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsOn, newFolder } from '../../support/cli.ts'
import { needs } from '../../support/tools.ts'
import { offline } from './shop.ts'

const dir = newFolder()

const python = new URL('../../support/tlog.py', import.meta.url).pathname

const { run, json, refuses } = commandsOn({ env: offline })
const verify = (...args: string[]) => run`verify ${args}`

type Made = { file: (name: string) => string; key: string }

/** Creates a tree, its proofs and checkpoints with an external program. */
function made(name: string, entries: number, older: number): Made {
  const folder = join(dir, name)
  mkdirSync(folder)
  execFileSync('python3', [python, folder, String(entries), String(older)], { stdio: ['ignore', 'ignore', 'pipe'] })
  return { file: (of) => join(folder, of), key: readFileSync(join(folder, 'vkey'), 'utf8') }
}

/** Writes a copy of a file with one base64 letter of a line changed to another. */
function changed(path: string, line: RegExp): string {
  const text = readFileSync(path, 'utf8')
  const at = (line.exec(text)?.index ?? assert.fail(String(line))) + 8
  const copy = `${path}.changed`
  writeFileSync(copy, text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1))
  return copy
}

test(
  'verify --proof accepts proofs of another program, by the key, and no changed one',
  needs('python3', 'openssl'),
  async () => {
    const { file, key } = made('proofs', 11, 4)
    const proofs = Array.from({ length: 11 }, (_, n) => file(`${n}.tlog-proof`))
    const good = await json`verify --proof ${proofs} --key ${key}`
    assert.equal(good.verified, true)
    assert.deepEqual(
      good.files.map(({ sequence, size, verified, isRedacted }: any) => [sequence, size, verified, isRedacted]),
      proofs.map((_, n) => [n + 1, 11, true, false]),
    )
    const result = await verify('--proof', file('3.tlog-proof'), '--key', key)
    assert.match(result.stdout, /^verified {2}\S+3\.tlog-proof {2}order [0-9a-f-]{36} of location .* is entry 4, /)
    for (const line of [/^extra /m, /^[A-Za-z0-9+/]{43}=$/m, /^— \S+ /m]) {
      const wrong = await verify('--proof', changed(file('3.tlog-proof'), line), '--key', key)
      assert.equal(wrong.code, 1, `${line}: ${wrong.stdout}${wrong.stderr}`)
      assert.match(wrong.stdout, /^broken {4}/)
    }
    // The proof of one entry does not prove another entry.
    const [third, fourth] = [3, 4].map((n) => readFileSync(file(`${n}.tlog-proof`), 'utf8')) as [string, string]
    const path = join(dir, 'mixed.tlog-proof')
    writeFileSync(path, third.replace(/^extra .*$/m, /^extra .*$/m.exec(fourth)?.[0] ?? ''))
    assert.match((await verify('--proof', path, '--key', key)).stdout, /^broken .*differs from the signed one/)
    const other = made('other', 2, 1)
    const foreign = await verify('--proof', file('3.tlog-proof'), '--key', other.key)
    assert.deepEqual([foreign.code, /not signed by this key/.test(foreign.stdout)], [1, true], foreign.stdout)
    // Of several given keys, one has signed the proof.
    assert.equal((await verify('--proof', file('3.tlog-proof'), '--key', other.key, key)).code, 0)
  },
)

test('verify --growth checks two checkpoints that another program signed', needs('python3', 'openssl'), async () => {
  for (const [entries, older] of [
    [11, 4],
    [8, 3],
    [300, 256],
  ] as const) {
    const { file, key } = made(`growth-${entries}-${older}`, entries, older)
    const args = ['--growth', file('growth'), '--checkpoint', file('older.checkpoint'), '--key', key]
    const good = await json`verify ${args}`
    assert.deepEqual([good.files[0].verified, good.files[0].from, good.files[0].size], [true, older, entries])
    if (entries !== 11 || older !== 4) continue
    const wrong = await verify('--growth', changed(file('growth'), /^[A-Za-z0-9+/]{43}=$/m), ...args.slice(2))
    assert.deepEqual([wrong.code, wrong.stdout.startsWith('broken')], [1, true], wrong.stdout)
    const { file: elsewhere, key: its } = made('elsewhere', 11, 4)
    const mixed = await verify(
      '--growth',
      file('growth'),
      '--checkpoint',
      elsewhere('older.checkpoint'),
      '--key',
      key,
      its,
    )
    assert.equal(mixed.code, 1, mixed.stdout)
  }
})

test('verify of files states what it needs, and what it cannot read', needs('python3', 'openssl'), async () => {
  const { file, key } = made('asked', 2, 1)
  for (const [args, expected] of [
    [['--proof', file('0.tlog-proof')], /--key is required: the verifier key/],
    [['--growth', file('growth'), '--key', key], /--growth requires --checkpoint/],
    [['--proof', file('0.tlog-proof'), '--key', 'x'], /--key must be a verifier key/],
    [['--proof', file('0.tlog-proof'), '--key', key, '--since'], /do not use the database/],
    [['--proof', file('none'), '--key', key], /none cannot be read/],
    [['--archive', file('none')], /none cannot be read/],
  ] as [string[], RegExp][])
    await refuses(expected)`verify ${args}`
  const none = await verify('--archive', file('0.tlog-proof'))
  assert.deepEqual([none.code, /not a ZIP/.test(none.stdout)], [1, true], none.stdout)
})
