import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the folder of the package that a module belongs to; undefined for a module of Tillgate. */
function packageOf(module: string): string | undefined {
  if (!module.includes('/node_modules/')) return undefined
  for (let at = dirname(module); at !== dirname(at); at = dirname(at)) {
    const path = join(at, 'package.json')
    if (existsSync(path) && 'version' in (JSON.parse(readFileSync(path, 'utf8')) as object)) return at
  }
  return undefined
}

/** Returns the license of a package, which must accompany copies of it. */
function licenceOf(at: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license', 'LICENSE.txt']
    .map((one) => join(at, one))
    .find(existsSync)
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8').trim()}\n`
}

/** Returns the licenses of the packages of bundled modules. */
export function licencesOf(modules: readonly string[]): string {
  const packages = [...new Set(modules.map(packageOf))].filter((at) => at !== undefined).toSorted()
  return packages.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`)
}
