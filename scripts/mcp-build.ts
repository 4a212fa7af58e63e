// Compiles mcp/ into one file, with what it depends on inside: which copies of its packages lie elsewhere in a project changes nothing.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown, type OutputChunk } from 'rolldown'

const folder = join(import.meta.dirname, '../mcp')
const out = join(folder, 'dist')

/** The folder of the package that a module belongs to; undefined for our own. */
function packageOf(module: string): string | undefined {
  if (!module.includes('/node_modules/')) return undefined
  for (let at = dirname(module); at !== dirname(at); at = dirname(at)) {
    const path = join(at, 'package.json')
    if (existsSync(path) && 'version' in (JSON.parse(readFileSync(path, 'utf8')) as object)) return at
  }
  return undefined
}

/** Licences ask to go with copies of what they are about. */
function noticeOf(at: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license', 'LICENSE.txt']
    .map((one) => join(at, one))
    .find(existsSync)
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8').trim()}\n`
}

rmSync(out, { recursive: true, force: true })
const bundle = await rolldown({ input: join(folder, 'src/main.ts'), platform: 'node' })
const { output } = await bundle.write({ file: join(out, 'main.js'), format: 'esm', codeSplitting: false })
await bundle.close()
const modules = output
  .filter((part): part is OutputChunk => part.type === 'chunk')
  .flatMap(({ moduleIds }) => moduleIds)
const packages = [...new Set(modules.map(packageOf))].filter((at) => at !== undefined).toSorted()
writeFileSync(join(out, 'THIRD-PARTY.txt'), packages.map(noticeOf).join(`\n${'-'.repeat(80)}\n\n`))
