import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

export const projectRoot = join(import.meta.dirname, '../..')

/** Folders of installed or generated files, and of data that a server left in a clone. */
const skipped = new Set([
  'node_modules',
  'dist',
  'data',
  'coverage',
  'obj',
  'bin',
  '.git',
  'dist-packages',
  'tillgate-demo',
])

/** Extensions of files with prose: sources of every language, documents, manifests, scripts. */
const written = new Set(
  ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.css', '.html', '.md', '.sql', '.sh', '.yml', '.yaml', '.bru', '.txt']
    .concat(['.go', '.php', '.py', '.cs', '.service', '.timer', '.socket', '.json', '.example'])
    .concat(''),
)

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(join(projectRoot, folder), { withFileTypes: true })) {
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* filesBelow(join(folder, entry.name))
    else if (entry.isFile() && written.has(extname(entry.name)) && !entry.name.endsWith('-lock.json')) {
      yield join(folder, entry.name)
    }
  }
}

/** The text of every project file, by its path from the root. */
export const projectFiles: ReadonlyMap<string, string> = new Map(
  [...filesBelow('.')].map((file) => [file, readFileSync(join(projectRoot, file), 'utf8')]),
)

/** Lists every match of a pattern in the project, with its file; `target` is the pattern's first group. */
export function citations(pattern: RegExp): { file: string; citation: string; target: string }[] {
  return [...projectFiles].flatMap(([file, text]) =>
    [...text.matchAll(pattern)].map(([citation, target = '']) => ({ file, citation, target })),
  )
}
