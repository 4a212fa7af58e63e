import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../../support/tools.ts'

const root = join(import.meta.dirname, '../../..')

test('the bill of materials lists every dependency, and the contents of the bundled PostgreSQL', async () => {
  const { stdout } = await run(process.execPath, [join(root, 'scripts/sbom.ts')], { maxBuffer: 2 ** 26 })
  const { bomFormat, components, dependencies } = JSON.parse(stdout)
  assert.equal(bomFormat, 'CycloneDX')
  const versions = new Map<string, string>(
    components.map(({ group, name, version }: any) => [group ? `${group}/${name}` : name, version]),
  )
  const named = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies as Record<string, string>
  for (const [name, version] of Object.entries(named)) assert.equal(versions.get(name), version, name)
  for (const library of ['postgresql', 'openssl', 'zlib', 'icu', 'libxml2', 'libxslt']) {
    assert.match(versions.get(library) ?? '', /^\d+\.\d+/, library)
  }
  const refs = new Set(dependencies.map(({ ref }: any) => ref))
  assert.ok(dependencies.every(({ dependsOn }: any) => dependsOn.every((ref: string) => refs.has(ref))))
})
