import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/**
 * Returns options of a test that requires these programs: if one is missing, the test is skipped and the programs to
 * install are named.
 */
export function needs(...programs: string[]): { skip: string | false } {
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)
  return { skip: missing.length > 0 && `not installed here: ${missing.join(', ')}` }
}

/** Like `needs`, but for a test that also requires root. */
export function needsRoot(...programs: string[]): { skip: string | false } {
  return process.getuid?.() === 0 ? needs(...programs) : { skip: 'only root can do this' }
}
