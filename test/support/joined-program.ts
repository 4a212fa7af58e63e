import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { cache, inPlace, place, root } from './joined.ts'

const main = join(root, 'src/main.ts')

/** What the joined program is made from: it is made anew when a byte of these changes. */
const sources = ['src/**/*.ts', 'client/src/**/*.ts', 'package*.json', 'test/support/joined*.ts']

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
 * Joins the program and the packages that it uses to a file for each command and what commands share, and resolves to the
 * URL of a module that puts them in the place of `src/main.ts`, for `--import`. The tests start it some 400 times, and half
 * of what that took was to find and link a thousand modules. The files have source maps, and are made from what the
 * sources are now.
 */
export async function joinProgram(): Promise<string> {
  const folder = join(cache, `program-${await hashSources()}`)
  if (!existsSync(folder)) {
    await removeOld()
    // A thread compiles the package of the reference by itself.
    const external = [/^@scalar\//]
    const bundle = await rolldown({ input: main, platform: 'node', treeshake: false, external, plugins: [inPlace] })
    await place(folder, async (draft) => {
      await bundle.write({
        dir: draft,
        format: 'esm',
        entryFileNames: '[name].mjs',
        chunkFileNames: '[name]-[hash].mjs',
        sourcemap: true,
      })
      await writeFile(
        join(draft, 'hook.mjs'),
        hook(pathToFileURL(main).href, pathToFileURL(join(folder, 'main.mjs')).href),
      )
    })
    await bundle.close()
  }
  await utimes(folder, new Date(), new Date())
  return pathToFileURL(join(folder, 'hook.mjs')).href
}
