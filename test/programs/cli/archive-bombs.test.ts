import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newDirectory } from '../backup/support.ts'
import { tillgate } from '../../support/cli.ts'
import { writeZip, type Member } from '../../support/zip-bomb.ts'

const folder = newDirectory()
const temporary = join(folder, 'tmp')
mkdirSync(temporary, { recursive: true })
const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TMPDIR: temporary }

const journal = 'journal/000000000001.ndjson'
const empty = createHash('sha256').digest('hex')

/** Returns a manifest that lists these files, so that they are read. */
const manifestOf = (...files: string[]): Member => ({
  name: 'manifest.json',
  text: JSON.stringify({ files: files.map((file) => ({ file, bytes: 1, sha256: empty })) }),
})

/** Returns `sha256sums.txt`, with which the comparison of files begins. */
const sumsOf = ({ text = '' }: Member): Member => ({
  name: 'sha256sums.txt',
  text: `${createHash('sha256').update(text).digest('hex')}  manifest.json\n`,
})

const bombs: [title: string, members: Member[], reason: RegExp][] = [
  [
    'a file of the journal that unpacks to a thousand times its size',
    [manifestOf(journal), { name: journal, mebibytes: 400 }],
    /journal\/000000000001\.ndjson unpacks to 400 MiB.* take another copy/,
  ],
  [
    'a file of the journal that is larger than its directory states',
    [manifestOf(journal), sumsOf(manifestOf(journal)), { name: journal, mebibytes: 400, says: 2 ** 20 }],
    /journal\/000000000001\.ndjson is damaged: it unpacks to more than the ZIP declares.* take another copy/,
  ],
  [
    'checksums of more files than a ZIP can have',
    [manifestOf(), { name: 'sha256sums.txt', mebibytes: 40 }],
    /sha256sums\.txt unpacks to 40 MiB/,
  ],
  [
    'checksums that are larger than their directory states',
    [
      { name: 'manifest.json', mebibytes: 40, says: 1_000 },
      { name: 'sha256sums.txt', mebibytes: 400, says: 1_000 },
    ],
    /(sha256sums\.txt|manifest\.json) is damaged: it unpacks to more than the ZIP declares/,
  ],
  [
    'a start file of 2 MiB',
    [manifestOf('start.json'), { name: 'start.json', mebibytes: 2 }],
    /start\.json unpacks to 2 MiB/,
  ],
]

for (const [title, members, reason] of bombs) {
  test(`${title} is refused before it is unpacked, by every command that opens archives`, async () => {
    const bomb = join(folder, 'bomb.zip')
    writeZip(bomb, members)
    const back = await tillgate(['year', 'bring-back', bomb, '--json'], { env })
    assert.equal(back.code, 2, back.stderr)
    const { error } = JSON.parse(back.stderr)
    assert.equal(error.code, 'archive_invalid')
    assert.match(error.message, reason)
    const verified = await tillgate(['verify', '--archive', bomb], { env })
    assert.equal(verified.code, 1, verified.stderr)
    assert.match(verified.stdout, reason)
    assert.deepEqual(readdirSync(temporary), [])
  })
}
