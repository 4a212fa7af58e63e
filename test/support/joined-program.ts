import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeProgram } from '../../scripts/program.ts'
import { absolute, cache, place, root } from './joined.ts'

const main = join(root, 'src/main.ts')

/** The inputs of the bundled program, which is rebuilt if any byte changes. */
const sources = [
  '{src,connectors,simulator}/**/*.ts',
  'client/src/**/*.ts',
  'package*.json',
  'test/support/joined*.ts',
  'scripts/program.ts',
]

/** Returns the text of a module for `--import` that makes the process run the bundled program. */
const hook = (from: string, to: string) => `import module from 'node:module'
module.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (context.parentURL !== undefined || found.url !== ${JSON.stringify(from)}) return found
    module.setSourceMapsSupport(true, { nodeModules: true })
    return { ...found, url: ${JSON.stringify(to)}, format: 'commonjs' }
  },
})
`

async function hashSources(): Promise<string> {
  // The hook has absolute paths, so a copy of the clone builds its own.
  const hash = createHash('sha256').update(root)
  for (const path of globSync(sources, { cwd: root }).toSorted()) {
    const text = await readFile(join(root, path))
    hash.update(`${path} ${text.length}\n`).update(text)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Removes bundles of older sources after an hour: until then, a run may still use them. */
async function removeOld(): Promise<void> {
  const names = await readdir(cache).catch(() => [])
  for (const path of names.filter((name) => name.startsWith('program-')).map((name) => join(cache, name))) {
    const isOld = Date.now() - (await stat(path)).mtimeMs > 3_600_000
    if (isOld) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Bundles the program as the build does, and resolves to the URL of a module for `--import` that replaces
 * `src/main.ts`, which the tests start about 700 times. The files have source maps and match the current sources.
 */
export async function joinProgram(): Promise<string> {
  const folder = join(cache, `program-${await hashSources()}`)
  if (!existsSync(folder)) {
    await removeOld()
    await place(folder, async (draft) => {
      await writeProgram(draft, absolute, { sourcemap: true })
      await writeFile(
        join(draft, 'hook.mjs'),
        hook(pathToFileURL(main).href, pathToFileURL(join(folder, 'main.cjs')).href),
      )
    })
  }
  await utimes(folder, new Date(), new Date())
  return pathToFileURL(join(folder, 'hook.mjs')).href
}
