import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inPlace, writeProgram } from '../../scripts/program.ts'
import { absolute, cache, place, root } from './joined.ts'

const main = join(root, 'src/main.ts')

/** The input of the joined program, which is rebuilt when a byte of it changes. */
const sources = [
  '{src,connectors,simulator}/**/*.ts',
  'client/src/**/*.ts',
  'package*.json',
  'test/support/joined*.ts',
  'scripts/program.ts',
]

/** What a process loads first: one that is to run the program from its sources runs the joined one. */
const hook = (from: string, to: string) => `import module from 'node:module'
module.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (context.parentURL !== undefined || found.url !== ${JSON.stringify(from)}) return found
    module.setSourceMapsSupport(true, { nodeModules: true })
    return { ...found, url: ${JSON.stringify(to)}, format: 'module' }
  },
})
`

async function hashSources(): Promise<string> {
  // The hook names files by their whole path: a copy of the clone makes its own.
  const hash = createHash('sha256').update(root)
  for (const path of globSync(sources, { cwd: root }).toSorted()) {
    const text = await readFile(join(root, path))
    hash.update(`${path} ${text.length}\n`).update(text)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Programs of sources that have changed since; a run that uses one has begun within the hour. */
async function removeOld(): Promise<void> {
  const names = await readdir(cache).catch(() => [])
  for (const path of names.filter((name) => name.startsWith('program-')).map((name) => join(cache, name))) {
    const isOld = Date.now() - (await stat(path)).mtimeMs > 3_600_000
    if (isOld) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Joins the program as the build does, and all packages that it uses with it, and resolves to the URL of a module that puts it in
 * the place of `src/main.ts`, for `--import`: the tests start it some 700 times. The files have source maps, and are made
 * from what the sources are now.
 */
export async function joinProgram(): Promise<string> {
  const folder = join(cache, `program-${await hashSources()}`)
  if (!existsSync(folder)) {
    await removeOld()
    await place(folder, async (draft) => {
      // A thread compiles the package of the reference by itself.
      await writeProgram(draft, { external: [/^@scalar\//], plugins: [inPlace(absolute)] }, 'mjs')
      await writeFile(
        join(draft, 'hook.mjs'),
        hook(pathToFileURL(main).href, pathToFileURL(join(folder, 'main.mjs')).href),
      )
    })
  }
  await utimes(folder, new Date(), new Date())
  return pathToFileURL(join(folder, 'hook.mjs')).href
}
