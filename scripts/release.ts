// Builds all parts of a release from a clean commit: `npm run release -- 0.1.0` (CONTRIBUTING.md, “Making a release”).
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')
const usage = `npm run release -- <version> [--out <folder>] [--untagged] [--unsigned] [--without image,single] [--check] [--publish]

  --untagged   a trial: the commit needs no tag v<version>
  --unsigned   a trial: SHA256SUMS is not signed; otherwise RELEASE_KEY is the file, or the text, of a minisign key
  --without    parts that are not made: deb, image, single
  --check      runs npm run check and npm run check:programs first
  --publish    publishes the packages on npm and the release on GitHub
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    untagged: { type: 'boolean', default: false },
    unsigned: { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
  },
})

function fail(reason: string): never {
  process.stderr.write(`error: ${reason}\n`)
  process.exit(1)
}

const [version] = positionals
if (version === undefined || positionals.length > 1) fail(`a release has one version\n\n${usage}`)
const tag = `v${version}`
const out = resolve(values.out ?? join(root, 'dist-packages', version))
const without = new Set(values.without.split(',').filter(Boolean))

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

// File times are those of the commit, so that two runs produce the same bytes.
const epoch = git('log', '-1', '--format=%ct')
const environment = { ...process.env, SOURCE_DATE_EPOCH: epoch, TZ: 'UTC', LC_ALL: 'C.UTF-8' }

function run(program: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], env: { ...environment, ...env } })
  if (status !== 0) fail(`${program} ${args.join(' ')} ended with ${status}`)
}

type Manifest = { version: string; repository?: unknown }

const manifestIn = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest

/** Returns the section of the changelog about the version. */
function notes(): string {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [, found] = text.split(/^## /m).flatMap((part) => {
    const [name = '', ...lines] = part.split('\n')
    return name.trim() === version ? [name, lines.join('\n').trim()] : []
  })
  if (!found) fail(`CHANGELOG.md has no text under "## ${version}"`)
  return `${found}\n`
}

/** Returns the file of the signing key; undefined in a trial. `RELEASE_KEY` is its path or, in CI, its content. */
function findKey(scratch: string): string | undefined {
  const given = process.env['RELEASE_KEY'] ?? ''
  if (given === '') {
    if (values.unsigned) return undefined
    fail('RELEASE_KEY names no key that signs the release: see CONTRIBUTING.md, or give --unsigned for a trial')
  }
  if (!given.includes('\n')) return resolve(given)
  const file = join(scratch, 'key')
  writeFileSync(file, given.endsWith('\n') ? given : `${given}\n`, { mode: 0o600 })
  return file
}

function refuseUnready(): void {
  if (git('status', '--porcelain') !== '') fail('there are changes that are not committed')
  const tagged = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${tag}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  })
  if (!values.untagged && tagged.stdout.trim() !== git('rev-parse', 'HEAD')) fail(`the commit is not tagged ${tag}`)
  for (const file of ['package.json', 'client/package.json', 'mcp/package.json']) {
    const manifest = manifestIn(file)
    if (manifest.version !== version) fail(`${file} is of version ${manifest.version}`)
    // npm refuses provenance for a package that does not name the repository of the workflow.
    if (values.publish && manifest.repository === undefined) fail(`${file} names no "repository": see CONTRIBUTING.md`)
  }
}

/** Packs files of the commit as a `.tar.gz`, with the time of the commit. */
function archive(name: string, paths: readonly string[]): void {
  const stem = `tillgate-${version}-${name}`
  const tar = execFileSync('git', ['archive', `--prefix=${stem}/`, 'HEAD', ...paths], { cwd: root, maxBuffer: 2 ** 28 })
  const packed = execFileSync('gzip', ['-9n'], { input: tar, maxBuffer: 2 ** 28 })
  writeFileSync(join(out, `${stem}.tar.gz`), packed)
}

const sum = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(out, file)))
    .digest('hex')

refuseUnready()
const text = notes()
const scratch = mkdtempSync(join(tmpdir(), 'tillgate-release-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const key = findKey(scratch)
if (values.check) for (const name of ['check', 'check:programs']) run('npm', ['run', name])

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
run('npm', ['pack', '--silent', '--pack-destination', out])
for (const part of ['client', 'mcp']) run('npm', ['pack', '--silent', '--workspace', part, '--pack-destination', out])
const PACKAGE = join(out, `tillgate-${version}.tgz`)
const build = (part: string, folder: string) => run('sh', [join(root, 'deploy', part, 'build.sh'), folder], { PACKAGE })
if (!without.has('deb')) build('debian', out)
if (!without.has('image')) {
  build('image', scratch)
  copyFileSync(join(scratch, 'tillgate-image.tar'), join(out, `tillgate-${version}-image.tar`))
}
if (!without.has('single')) {
  build('single', scratch)
  copyFileSync(join(scratch, 'tillgate'), join(out, `tillgate-${version}-${process.platform}-${process.arch}`))
}
archive('receivers', ['receivers', 'docs/receivers', 'client/conformance', 'LICENSE'])
archive('descriptions', ['openapi.json', 'descriptions', 'docs/contract', 'LICENSE'])
copyFileSync(join(root, 'openapi.json'), join(out, `tillgate-${version}-openapi.json`))
writeFileSync(
  join(out, `tillgate-${version}-sbom.cdx.json`),
  execFileSync('node', ['scripts/sbom.ts'], { cwd: root, env: environment }),
)
let notesText = text
if (key !== undefined) {
  const pub = join(scratch, 'release.pub')
  run('minisign', ['-R', '-s', key, '-p', pub])
  notesText += `\nThe public key of \`SHA256SUMS.minisig\` is \`${readFileSync(pub, 'utf8').split('\n')[1]}\`.\n`
}
writeFileSync(join(out, 'NOTES.md'), notesText)
// Files of scoped packages begin with @, which is removed.
for (const file of readdirSync(out)) if (file.startsWith('@')) renameSync(join(out, file), join(out, file.slice(1)))
const files = readdirSync(out).toSorted()
writeFileSync(join(out, 'SHA256SUMS'), files.map((file) => `${sum(file)}  ${file}\n`).join(''))
if (key !== undefined) run('minisign', ['-S', '-s', key, '-m', join(out, 'SHA256SUMS'), '-t', `tillgate ${version}`])

if (values.publish) {
  const packages = files.filter((file) => file.endsWith('.tgz'))
  for (const file of packages) run('npm', ['publish', '--provenance', '--access', 'public', join(out, file)])
  const all = readdirSync(out).map((file) => join(out, file))
  run('gh', ['release', 'create', tag, '--verify-tag', '--notes-file', join(out, 'NOTES.md'), ...all])
}
process.stdout.write(readFileSync(join(out, 'SHA256SUMS'), 'utf8'))
