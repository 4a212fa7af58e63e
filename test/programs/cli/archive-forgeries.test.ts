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
import { tillgate } from '../../support/cli.ts'
import { needs } from '../../support/tools.ts'

const years = await archivedYears()
const { folder, key, site, app } = years
const script = new URL('../../../docs/verify/verify.mjs', import.meta.url).pathname
const honest = years.zips.map((zip) => readFiles(unpackZip(zip, `${zip}.unpacked`))) as [Files, Files]
const growths = new Map<number, string>()
for (let size = 1; size < 26; size++) {
  const { status, text } = await app.get(`/v1/checkpoints/consistency?from=${size}`, { key: site.key })
  if (status === 200) growths.set(size, text)
}
const offline = { env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' } }

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
    timeout: 30_000,
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

test(`the script refuses ${forgeries.length} forgeries, as ZIP and folder, and names the fault, also with --unsigned`, () => {
  assert.ok(forgeries.length >= 40)
  const wrong: string[] = []
  for (const { name, zip, unpacked, says, isOfManifest } of forged) {
    for (const path of [zip, unpacked]) {
      const { status, text } = verify(path, key)
      if (status !== 1 || !text.startsWith('NOT VERIFIED: ') || !says.test(text))
        wrong.push(`${name}: ${status} ${text}`)
    }
    const { status, text } = verify(unpacked, '--unsigned', key)
    const unsigned = /^not checked: whether tables, .*: the manifest is not signed by this key$/m
    if (status !== (isOfManifest ? 0 : 1) || !(isOfManifest ? unsigned : says).test(text))
      wrong.push(`${name}, unsigned: ${status} ${text}`)
  }
  assert.deepEqual(wrong, [])
})

test('the command refuses the forged archives too, with the same messages', async () => {
  const paths = forged.flatMap(({ zip, unpacked }) => [zip, unpacked])
  for (const flags of [[], ['--unsigned']]) {
    const { code, stdout } = await tillgate(
      ['verify', '--archive', ...paths, '--key', key, '--json', ...flags],
      offline,
    )
    assert.equal(code, 1)
    const { verified, files } = JSON.parse(stdout)
    assert.equal(verified, false)
    for (const [i, { name, says, isOfManifest }] of forged.entries()) {
      for (const one of files.slice(2 * i, 2 * i + 2)) {
        const isAccepted = flags.length > 0 && isOfManifest === true
        assert.equal(one.verified, isAccepted, `${name}: ${one.reason}`)
        if (isAccepted) assert.match(one.notChecked.join('\n'), /the manifest is not signed/)
        else assert.match(one.reason, says, name)
      }
    }
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
  const { code, stdout } = await tillgate(['verify', '--archive', ...years.zips, '--key', key], offline)
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

test('a ZIP that other programs would read differently is refused', needs('python3'), () => {
  const make = (name: string, code: string) => {
    const zip = join(folder, `${name}.zip`)
    const read = `import sys, zipfile, struct\nsource = zipfile.ZipFile(sys.argv[1])\nitems = [(i, source.read(i)) for i in source.infolist()]\n`
    execFileSync('python3', ['-W', 'ignore', '-c', read + code, years.zips[0], zip])
    return verify(zip, key)
  }
  const whole = `out = zipfile.ZipFile(sys.argv[2], 'w')\nfor info, data in items: out.writestr(info.filename, data)\n`
  assert.equal(make('repacked', `${whole}out.close()`).status, 0)
  const cases: [string, string, RegExp][] = [
    ['twice', `${whole}out.writestr('closings.ndjson', b'')\nout.close()`, /closings\.ndjson is in the ZIP twice/],
    ['outside', `${whole}out.writestr('../evil', b'')\nout.close()`, /"\.\.\/evil" is a path outside the archive/],
    ['absolute', `${whole}out.writestr('/etc/evil', b'')\nout.close()`, /"\/etc\/evil" is a path outside the archive/],
    [
      'backslash',
      `${whole}i = zipfile.ZipInfo('x'); i.filename = 'a\\\\..\\\\b'\nout.writestr(i, b'')\nout.close()`,
      /is a path outside the archive/,
    ],
    [
      'folder-outside',
      `${whole}out.writestr('../../x/', b'')\nout.close()`,
      /"\.\.\/\.\.\/x\/" is a path outside the archive/,
    ],
    [
      'folder-with-bytes',
      `${whole}i = zipfile.ZipInfo('hidden/')\nout.writestr(i, b'hidden')\nout.close()`,
      /hidden\/ is a folder but has content/,
    ],
    [
      'link',
      `${whole}i = zipfile.ZipInfo('link'); i.create_system = 3; i.external_attr = 0o120777 << 16\nout.writestr(i, b'/etc/passwd')\nout.close()`,
      /link is neither a file nor a folder/,
    ],
    ['not-in-manifest', `${whole}out.writestr('more.txt', b'')\nout.close()`, /more\.txt is not in the manifest/],
    [
      'two-ends',
      `${whole}out.close()\ndata = open(sys.argv[2], 'rb').read()\nend = data[-22:]\nopen(sys.argv[2], 'wb').write(data + end)`,
      /more than one/,
    ],
    ['behind', `${whole}out.close()\nopen(sys.argv[2], 'ab').write(b'more')`, /more than one|not a ZIP/],
    [
      'before',
      `${whole}out.close()\ndata = open(sys.argv[2], 'rb').read()\nopen(sys.argv[2], 'wb').write(b'#!/bin/sh' + data)`,
      /damaged/,
    ],
    [
      'renamed',
      `${whole}out.close()\ndata = open(sys.argv[2], 'rb').read()\nat = data.index(b'closings.ndjson')\nopen(sys.argv[2], 'wb').write(data[:at] + b'CLOSINGS.NDJSON' + data[at + 15:])`,
      /closings\.ndjson is damaged/,
    ],
    [
      'encrypted',
      `${whole}out.close()\ndata = bytearray(open(sys.argv[2], 'rb').read())\nat = data.index(b'PK\\x01\\x02')\ndata[at + 8] |= 1\nopen(sys.argv[2], 'wb').write(data)`,
      /is encrypted/,
    ],
  ]
  for (const [name, code, says] of cases) {
    const { status, text } = make(name, code)
    assert.equal(status, 1, `${name}: ${text}`)
    assert.match(text, says, name)
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
      /NOT VERIFIED: journal\/000000000001\.ndjson unpacks to \d+ MiB, which is more/,
    )
    cpSync(`${years.zips[0]}.unpacked`, join(folder, 'copied'), { recursive: true })
    assert.equal(verify(join(folder, 'copied'), key).status, 0)
  },
)
