import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { zipSync } from 'fflate'
import { Forged, forgeries } from '../../support/archive-forgeries.ts'
import { archivedYears, readFiles, unpackZip, type Files } from '../../support/archived-years.ts'
import { commandsOn } from '../../support/cli.ts'
import { needs } from '../../support/tools.ts'
import { offline } from './shop.ts'

const years = await archivedYears()
const { folder, key, site, app } = years
const script = new URL('../../../docs/verify/verify.mjs', import.meta.url).pathname
const honest = years.zips.map((zip) => readFiles(unpackZip(zip, `${zip}.unpacked`))) as [Files, Files]
const growths = new Map<number, string>()
for (let size = 1; size < 26; size++) {
  const { status, text } = await app.get(`/v1/checkpoints/consistency?from=${size}`, { key: site.key })
  if (status === 200) growths.set(size, text)
}
const onFiles = commandsOn({ env: offline })

/** Writes files as a ZIP, and as a folder. */
function write(name: string, files: Files): { zip: string; unpacked: string } {
  const [zip, unpacked] = [join(folder, `${name}.zip`), join(folder, `${name}.folder`)]
  writeFileSync(zip, zipSync(Object.fromEntries(files), { level: 0 }))
  for (const [file, bytes] of files) {
    mkdirSync(dirname(join(unpacked, file)), { recursive: true })
    writeFileSync(join(unpacked, file), bytes)
  }
  return { zip, unpacked }
}

function verify(path: string, ...more: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'archive', path, ...more], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  return { status, text: stdout + stderr }
}

const forged = forgeries.map((forgery, i) => {
  const [first, second] = forgery.year === 2026 ? [honest[1], honest[0]] : honest
  const of = new Forged(first, second, (size) => growths.get(size) ?? 'old 0\n\n')
  forgery.change(of)
  if (forgery.seal) forgery.seal(of)
  else of.seal()
  return { ...forgery, ...write(`forged-${i}`, of.files) }
})

test('the command refuses the forged archives too, with the same messages', async () => {
  assert.ok(forged.length >= 40)
  const wrong: string[] = []
  for (const { name, zip, unpacked, says, isOfManifest } of forged) {
    const { stdout } = await onFiles.run`verify --archive ${zip} ${unpacked} --key ${key} --json`
    for (const { verified, reason } of JSON.parse(stdout).files)
      if (verified || !says.test(reason)) wrong.push(`${name}: ${reason}`)
    const unsigned = await onFiles.run`verify --archive ${unpacked} --key ${key} --json --unsigned`
    const [{ verified, reason, notChecked }] = JSON.parse(unsigned.stdout).files
    const isKnown = isOfManifest ? /the manifest is not signed/.test(String(notChecked)) : says.test(reason)
    if (verified !== (isOfManifest === true) || !isKnown) wrong.push(`${name}, unsigned: ${reason}`)
  }
  assert.deepEqual(wrong, [])
  // The command runs the functions of the script.
  const [first] = forged
  assert.ok(first)
  for (const args of [[first.zip], [first.unpacked, '--unsigned']]) {
    const { status, text } = verify(args[0] as string, ...args.slice(1), key)
    assert.deepEqual([status, text.startsWith('NOT VERIFIED: '), first.says.test(text)], [1, true, true], text)
  }
})

test('genuine archives of every kind are accepted: with their key, without a key, and unsigned ones with --unsigned', async () => {
  const bare = new Forged(honest[0], honest[1], () => '')
  bare.seal()
  const unsigned = write('unsigned', bare.files).zip
  for (const zip of years.zips) {
    const { status, text } = verify(zip, key)
    assert.equal(status, 0, text)
    assert.match(text, /^verified: fiscal year \d+: .* and so is the manifest/)
    assert.match(text, /^not checked: whether tables.*: they are signed as written$/m)
    const without = verify(zip)
    assert.equal(without.status, 0, without.text)
    assert.match(
      without.text,
      /agree with each other\.\nnot checked: whether the journal was rewritten.*no key was given/,
    )
  }
  assert.equal(verify(unsigned, '--unsigned', key).status, 0)
  const { code, stdout } = await onFiles.run`verify --archive ${years.zips} --key ${key}`
  assert.equal(code, 0, stdout)
  assert.match(stdout, /^verified  \S+  fiscal year 2025: .*\n {10}\S+  not checked: whether tables/)
  // A key that has not signed anything in the archive.
  const [name = '', , bytes = ''] = key.split('+')
  assert.ok(bytes)
  const other = verify(years.zips[0], `${name.replace('tillgate', 'other')}+00000000+${bytes}`)
  assert.equal(other.status, 1)
})

test('anything closed, issued or redacted since the last checkpoint is signed when the archive is written', async () => {
  await years.redact(203)
  const lacking = await years.archive(2025, { keyPath: null })
  const result = verify(lacking, '--unsigned', key)
  assert.equal(result.status, 1)
  assert.match(result.text, /redactions\.ndjson: the redaction \d+ has no proof, so it is not signed/)
  const { status, text } = verify(await years.archive(2025), key)
  assert.equal(status, 0, text)
  assert.match(text, /3 of them blanked/)
})

/** Packs an archive anew for each path, and runs its code on `out`. */
const packer = `import json, sys, zipfile
source = zipfile.ZipFile(sys.argv[1])
items = [(i.filename, source.read(i)) for i in source.infolist()]
for path, code in json.load(sys.stdin):
    out = zipfile.ZipFile(path, 'w')
    for name, data in items: out.writestr(name, data)
    exec(code)`

test('a ZIP that other programs would read differently is refused', needs('python3'), async () => {
  const cases: [string, string, RegExp][] = [
    ['twice', `out.writestr('closings.ndjson', b'')\nout.close()`, /closings\.ndjson is in the ZIP twice/],
    ['outside', `out.writestr('../evil', b'')\nout.close()`, /"\.\.\/evil" is a path outside the archive/],
    ['absolute', `out.writestr('/etc/evil', b'')\nout.close()`, /"\/etc\/evil" is a path outside the archive/],
    [
      'backslash',
      `i = zipfile.ZipInfo('x'); i.filename = 'a\\\\..\\\\b'\nout.writestr(i, b'')\nout.close()`,
      /is a path outside the archive/,
    ],
    ['folder-outside', `out.writestr('../../x/', b'')\nout.close()`, /"\.\.\/\.\.\/x\/" is a path outside the archive/],
    [
      'folder-with-bytes',
      `i = zipfile.ZipInfo('hidden/')\nout.writestr(i, b'hidden')\nout.close()`,
      /hidden\/ is a folder but has content/,
    ],
    [
      'link',
      `i = zipfile.ZipInfo('link'); i.create_system = 3; i.external_attr = 0o120777 << 16\nout.writestr(i, b'/etc/passwd')\nout.close()`,
      /link is neither a file nor a folder/,
    ],
    ['not-in-manifest', `out.writestr('more.txt', b'')\nout.close()`, /more\.txt is not in the manifest/],
    [
      'two-ends',
      `out.close()\ndata = open(path, 'rb').read()\nend = data[-22:]\nopen(path, 'wb').write(data + end)`,
      /more than one/,
    ],
    ['behind', `out.close()\nopen(path, 'ab').write(b'more')`, /more than one|not a ZIP/],
    ['before', `out.close()\ndata = open(path, 'rb').read()\nopen(path, 'wb').write(b'#!/bin/sh' + data)`, /damaged/],
    [
      'renamed',
      `out.close()\ndata = open(path, 'rb').read()\nat = data.index(b'closings.ndjson')\nopen(path, 'wb').write(data[:at] + b'CLOSINGS.NDJSON' + data[at + 15:])`,
      /closings\.ndjson is damaged/,
    ],
    [
      'encrypted',
      `out.close()\ndata = bytearray(open(path, 'rb').read())\nat = data.index(b'PK\\x01\\x02')\ndata[at + 8] |= 1\nopen(path, 'wb').write(data)`,
      /is encrypted/,
    ],
  ]
  const paths = ['repacked', ...cases.map(([name]) => name)].map((name) => join(folder, `${name}.zip`))
  const codes = ['out.close()', ...cases.map(([, code]) => code)]
  const input = JSON.stringify(paths.map((path, n) => [path, codes[n]]))
  execFileSync('python3', ['-W', 'ignore', '-c', packer, years.zips[0]], { input })
  const { files } = JSON.parse((await onFiles.run`verify --archive ${paths} --key ${key} --json`).stdout)
  assert.equal(files[0].verified, true, files[0].reason)
  for (const [n, [name, , says]] of cases.entries()) {
    assert.equal(files[n + 1].verified, false, name)
    assert.match(files[n + 1].reason, says, name)
  }
})

test(
  'only regular files in a folder are opened: pipes, devices, sockets and links are refused at once',
  needs('mkfifo', 'mknod'),
  async () => {
    const cases: [string, (at: string) => unknown, RegExp][] = [
      [
        'pipe',
        (at) => execFileSync('mkfifo', [join(at, 'books/batch-0009.json')]),
        /books\/batch-0009\.json is neither a file nor a folder/,
      ],
      [
        'link',
        (at) => symlinkSync('/etc/passwd', join(at, 'docs/more.txt')),
        /docs\/more\.txt is neither a file nor a folder/,
      ],
      [
        'device',
        (at) => symlinkSync('/dev/zero', join(at, 'docs/zero.txt')),
        /docs\/zero\.txt is neither a file nor a folder/,
      ],
      ['folder', (at) => symlinkSync('/proc', join(at, 'more')), /more is neither a file nor a folder/],
      [
        'socket',
        async (at) => {
          const server = createServer().listen(join(at, 's'))
          await once(server, 'listening')
          server.unref()
        },
        /s is neither a file nor a folder/,
      ],
    ]
    for (const [name, make, says] of cases) {
      const { unpacked } = write(`hostile-${name}`, honest[0])
      await make(unpacked)
      const { status, text } = verify(unpacked, key)
      assert.equal(status, 1, `${name}: ${text}`)
      assert.match(text, says)
    }
    // The link or pipe replaces a file that the manifest lists.
    for (const [name, target] of [
      ['end.json', '/dev/zero'],
      ['manifest.json', '/dev/zero'],
      ['sha256sums.txt', '/etc/passwd'],
    ] as const) {
      const { unpacked } = write(`hostile-${name}`, honest[0])
      execFileSync('rm', [join(unpacked, name)])
      symlinkSync(target, join(unpacked, name))
      const { status, text } = verify(unpacked, key)
      assert.equal(status, 1, text)
      assert.match(text, new RegExp(`${name.replace('.', '\\.')} is neither a file nor a folder`))
    }
    const { unpacked } = write('hostile-large', honest[0])
    truncateSync(join(unpacked, 'journal/000000000001.ndjson'), 2 ** 40)
    assert.match(
      verify(unpacked, key).text,
      /NOT VERIFIED: journal\/000000000001\.ndjson unpacks to \d+ MiB, more than such a file can have/,
    )
    cpSync(`${years.zips[0]}.unpacked`, join(folder, 'copied'), { recursive: true })
    assert.equal(verify(join(folder, 'copied'), key).status, 0)
  },
)
