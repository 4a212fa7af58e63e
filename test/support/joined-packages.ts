import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { inPlace } from '../../scripts/program.ts'
import { absolute, cache, place, root } from './joined.ts'

/**
 * Packages with many files that most processes load: half of the 900 modules loaded by the HTTP tests belonged to them.
 */
const packages = [
  '@fastify/swagger',
  '@fastify/type-provider-typebox',
  '@opentelemetry/api',
  'fastify',
  'pg',
  'pino',
  'prom-client',
  'typebox',
  'typebox/compile',
  'typebox/format',
  'typebox/system',
  'typebox/value',
  'undici',
]

/**
 * Returns the text of a module with the exports that Node's `import` of the package has: for a CommonJS package a
 * default export, and the names that Node detects.
 */
async function textOf(name: string): Promise<string> {
  const from = JSON.stringify(name)
  const exported: object = await import(name)
  const names = Object.keys(exported).filter((key) => key !== 'default' && key !== 'module.exports')
  if ('module.exports' in exported) {
    const consts = names.map((key, n) => `const v${n} = whole.${key}\nexport { v${n} as ${key} }`)
    return [`import whole from ${from}`, 'export default whole', ...consts].join('\n')
  }
  return `export * from ${from}\n${'default' in exported ? `export { default } from ${from}` : ''}`
}

const mark = 'joined:'

/** Returns the modules that replace the packages, by their names. */
const standIns = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'stand-ins',
  resolveId(id, from) {
    if (id.startsWith(mark)) return id
    return from?.startsWith(mark) === true ? this.resolve(id, import.meta.filename) : null
  },
  load: (id) => texts.get(id) ?? null,
})

/**
 * Returns the text of a module for `--import`: it leads imports of the packages to the few bundled files, and resolves
 * imports of our own files by path without a file-system lookup.
 */
const hook = (urls: Record<string, string>) => `import module from 'node:module'
const urls = new Map(Object.entries(${JSON.stringify(urls, null, 2)}))
const isOurs = (name) => name.endsWith('.ts')
module.registerHooks?.({
  resolve(specifier, context, next) {
    if (specifier.startsWith('.') && isOurs(specifier) && isOurs(context.parentURL ?? '')) {
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
    }
    const found = next(specifier, context)
    const url = context.conditions.includes('import') ? urls.get(found.url) : undefined
    return url === undefined ? found : { ...found, url, format: 'module' }
  },
})
`

/**
 * Bundles each of these packages into one or two files, and resolves to the URL of a module for `--import` that
 * substitutes them. They are built once per version of package-lock.json.
 */
export async function joinPackages(): Promise<string> {
  // The hook has absolute paths, so a copy of the clone builds its own.
  const hash = createHash('sha256')
    .update(root)
    .update(await readFile(join(root, 'package-lock.json')))
  const key = hash
    .update(await readFile(import.meta.filename))
    .digest('hex')
    .slice(0, 16)
  const folder = join(cache, `packages-${key}`)
  if (!existsSync(folder)) {
    const texts = new Map(await Promise.all(packages.map(async (name) => [mark + name, await textOf(name)] as const)))
    const fileOf = (name: string) => name.replace('/', '_')
    const input = Object.fromEntries(packages.map((name) => [fileOf(name), mark + name]))
    const bundle = await rolldown({
      input,
      platform: 'node',
      treeshake: false,
      plugins: [standIns(texts), inPlace(absolute)],
    })
    await place(folder, async (draft) => {
      await bundle.write({ dir: draft, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'part-[hash].mjs' })
      const urls = packages.map((name) => [
        import.meta.resolve(name),
        pathToFileURL(join(folder, `${fileOf(name)}.mjs`)).href,
      ])
      await writeFile(join(draft, 'hook.mjs'), hook(Object.fromEntries(urls)))
    })
    await bundle.close()
  }
  return pathToFileURL(join(folder, 'hook.mjs')).href
}
