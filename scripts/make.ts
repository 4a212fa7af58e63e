// Writes the generated files: `npm run make -- openapi`. Further arguments are passed on to the script.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

const node = (...args: string[]) => [process.execPath, ...args]
/** Runs with all modules on. */
const program = (...args: string[]) => node('--import=./src/modules/on.ts', ...args)

const made: Record<string, { about: string; commands: readonly (readonly string[])[] }> = {
  openapi: {
    about: 'openapi.json, the types and the page of the client, the pages of contract, commands and configuration',
    commands: [
      program('scripts/write-openapi.ts'),
      node('scripts/client-types.ts'),
      ['oxfmt', 'client/src/api.ts'],
      node('scripts/client-docs.ts'),
      node('scripts/contract-page.ts'),
      program('scripts/reference-pages.ts'),
    ],
  },
  vectors: {
    about: 'client/conformance/, the cases that every client must pass',
    commands: [program('scripts/write-vectors.ts')],
  },
  released: {
    about: 'test/released/, what a release is remembered by',
    commands: [node('scripts/write-released.ts')],
  },
  console: { about: 'dist/console/', commands: [['npm', 'run', '-s', 'build', '-w', 'console']] },
  downloads: {
    about: 'dist/downloads/, what a server gives away',
    commands: [node('scripts/downloads.ts')],
  },
  screenshots: {
    about: 'the pictures of docs/modules/console.md',
    commands: [program('scripts/console-screenshots.ts')],
  },
  pictures: {
    about: 'pictures of every screen of the console, to look at, in --folder',
    commands: [program('scripts/console-pictures.ts')],
  },
  sbom: { about: 'a bill of materials, to standard output', commands: [node('scripts/sbom.ts')] },
}

export const madeNames = Object.keys(made)

if (import.meta.main) {
  const [name = '', ...more] = process.argv.slice(2)
  const commands = made[name]?.commands ?? []
  if (commands.length === 0) {
    const list = Object.entries(made).map(([one, { about }]) => `  ${one.padEnd(13)} ${about}`)
    process.stderr.write(`error: say what to make\n\nnpm run make -- <name> writes one of these:\n${list.join('\n')}\n`)
    process.exitCode = 2
  }
  for (const [i, [file = '', ...args]] of commands.entries()) {
    const own = i === commands.length - 1 ? more : []
    const { status } = spawnSync(file, [...args, ...own], { cwd: root, stdio: 'inherit' })
    process.exitCode = status ?? 1
    if (process.exitCode !== 0) break
  }
}
