import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The root of the package, from `src/core/server` as from `dist/core/server`. */
const packageRoot = join(import.meta.dirname, '../../..')

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
  return version
}
