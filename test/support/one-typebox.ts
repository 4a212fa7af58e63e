import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const modules = join(import.meta.dirname, '../../node_modules')

/** What a process loads first: from then on it finds the few files where it would have found the many. */
const hook = (urls: Record<string, string>) => `import module from 'node:module'
const urls = new Map(Object.entries(${JSON.stringify(urls, null, 2)}))
module.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const url = urls.get(found.url)
    return url === undefined ? found : { ...found, url }
  },
})
`

/**
 * Joins the 683 modules of TypeBox to a handful of files and resolves to the URL of a module that puts them in their
 * place, for `--import`. The tests start some 500 processes, of which each would take 0.15 s of the processor to find and
 * link those modules. They are made once for a version, in `node_modules/.cache`.
 */
export async function joinTypebox(): Promise<string> {
  const { version, exports } = JSON.parse(await readFile(join(modules, 'typebox/package.json'), 'utf8')) as {
    version: string
    exports: Record<string, { import: string }>
  }
  const folder = join(modules, `.cache/typebox-${version}`)
  const entry = join(folder, 'hook.mjs')
  if (existsSync(entry)) return pathToFileURL(entry).href
  await mkdir(join(modules, '.cache'), { recursive: true })
  const draft = await mkdtemp(`${folder}-`)
  const names = Object.keys(exports).map((path) => [path === '.' ? 'index' : path.slice(2), path] as const)
  const fileOf = (path: string) => join(modules, 'typebox', exports[path]?.import ?? '')
  const input = Object.fromEntries(names.map(([name, path]) => [name, fileOf(path)]))
  const bundle = await rolldown({ input, platform: 'node', treeshake: false })
  await bundle.write({ dir: draft, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'part-[hash].mjs' })
  await bundle.close()
  const url = (file: string) => pathToFileURL(file).href
  const urls = Object.fromEntries(names.map(([name, path]) => [url(fileOf(path)), url(join(folder, `${name}.mjs`))]))
  await writeFile(join(draft, 'hook.mjs'), hook(urls))
  // Some of the processes run as another user.
  await chmod(draft, 0o755)
  // Another run may have been quicker.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
  return pathToFileURL(entry).href
}
