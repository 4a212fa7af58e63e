// Runs test files in groups, each group in one process: loading the modules and building an app takes more than a second
// of processor time, more than most files need. Each file is a test with its own hooks, and its resources are released
// before the next file begins. If a file fails in a group but not alone (node --test FILE), it shares something with
// another file.
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quickTests } from './check.ts'

const groupsAtOnce = 6
/** Enough that the last groups to end are short. */
const groupsAtMost = 4 * groupsAtOnce
/** The timeout of a file, and of each of its tests. */
const timeoutMs = 900_000

const root = join(import.meta.dirname, '..')
const urlOf = (file: string) => JSON.stringify(pathToFileURL(resolve(file)).href)

const groupOf = (files: readonly string[]) => `import { after, test } from 'node:test'
import { atEnd } from ${urlOf(join(root, 'test/support/database.ts'))}
${files
  .map(
    (file) => `test(${JSON.stringify(file)}, { timeout: ${timeoutMs} }, async () => {
  atEnd(async () => {})
  await import(${urlOf(file)})
})
`,
  )
  .join('')}
let isComplete = false
after(() => (isComplete = true))
process.on('exit', () => {
  if (!isComplete) process.exitCode = 1
})
`

const given = process.argv.slice(2)
const patterns = given.length > 0 ? given : quickTests
const found = globSync(patterns, { cwd: root })
if (found.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`)

const folder = mkdtempSync(join(tmpdir(), 'tillgate-tests-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
// Neighbors, which are often slow for the same reason, are in different groups.
const groups = [...Map.groupBy(found.toSorted(), (_, index) => index % groupsAtMost)].map(([index, files]) => {
  const group = join(folder, `group-${index + 1}.mjs`)
  writeFileSync(group, groupOf(files))
  return group
})

const running = spawn(
  process.execPath,
  [
    '--test',
    '--test-force-exit',
    '--test-global-setup=test/global-setup.ts',
    '--import=./test/support/preload.ts',
    `--test-concurrency=${groupsAtOnce}`,
    `--test-timeout=${Math.ceil(found.length / groupsAtMost) * timeoutMs}`,
    ...groups,
  ],
  { cwd: root, stdio: 'inherit' },
).on('exit', (code) => (process.exitCode = code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running.kill(signal))
