// Writes npm-shrinkwrap.json for the package, so that installations get the versions that were tested, including
// indirect dependencies: `node scripts/shrinkwrap.ts`. `--remove` deletes it. In a clone, package-lock.json has the
// same effect.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Entry = {
  name?: string
  version?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  dev?: boolean
}

export type Lock = { name: string; version: string; lockfileVersion: number; packages: Record<string, Entry> }

/** Resolves a package from the folder of another, as Node does: in that folder or in one above. */
function resolve(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (packages[place]) return place
    if (at === '') return undefined
  }
}

/**
 * Returns all direct and indirect dependencies of the package in the lock file, without development dependencies and
 * workspaces.
 */
export function shrinkwrapOf({ name, version, lockfileVersion, packages }: Lock): Lock {
  const { dependencies = {}, optionalDependencies = {}, ...root } = packages[''] as Entry & Record<string, unknown>
  const left = Object.keys({ ...dependencies, ...optionalDependencies }).map((needed) => resolve(packages, '', needed))
  const kept = new Set<string>()
  for (let place = left.pop(); left.length > 0 || place !== undefined; place = left.pop()) {
    if (place === undefined || kept.has(place)) continue
    kept.add(place)
    const { dependencies: own = {}, optionalDependencies: wished = {}, ...rest } = packages[place] as Entry
    const peers = Object.keys(rest.peerDependencies ?? {})
    for (const needed of [...Object.keys({ ...own, ...wished }), ...peers]) left.push(resolve(packages, place, needed))
  }
  const { workspaces: _, devDependencies: __, ...own } = root
  const entries = [...kept].toSorted().map((place): [string, Entry] => {
    const { dev: ___, ...entry } = packages[place] as Entry
    return [place, entry]
  })
  return {
    name,
    version,
    lockfileVersion,
    packages: { '': { ...own, dependencies, optionalDependencies }, ...Object.fromEntries(entries) },
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const file = join(root, 'npm-shrinkwrap.json')
  if (process.argv.includes('--remove')) rmSync(file, { force: true })
  else {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
    writeFileSync(file, `${JSON.stringify({ ...shrinkwrapOf(lock), requires: true }, null, 2)}\n`)
  }
}
