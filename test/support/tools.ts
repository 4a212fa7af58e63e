import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/** Options of a test that needs these programs: it is skipped, with the programs to install, if one is missing. */
export function needs(...programs: string[]): { skip: string | false } {
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)
  return { skip: missing.length > 0 && `not installed here: ${missing.join(', ')}` }
}

/** As `needs`, of a test that only root can run. */
export function needsRoot(...programs: string[]): { skip: string | false } {
  return process.getuid?.() === 0 ? needs(...programs) : { skip: 'only root can do this' }
}
