// Bundles mcp/ into one file that requires only Node: `node scripts/mcp-build.ts [file]`, mcp/dist/main.js by default.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')

/** The folder of the package that a module belongs to; undefined for our own. */
function packageOf(module: string): string | undefined {
  if (!module.includes('/node_modules/')) return undefined
  for (let at = dirname(module); at !== dirname(at); at = dirname(at)) {
    const path = join(at, 'package.json')
    if (existsSync(path) && 'version' in (JSON.parse(readFileSync(path, 'utf8')) as object)) return at
  }
  return undefined
}

/** Returns the license of a package, which must accompany copies of it. */
function licenceOf(at: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license', 'LICENSE.txt']
    .map((one) => join(at, one))
    .find(existsSync)
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8').trim()}\n`
}

/** Older versions of Node lack functions that the bundled packages call. */
const runsFrom = 20

const banner = `#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < ${runsFrom}) {
  process.stderr.write('error: this file needs Node ${runsFrom} or later, and this is Node ' + process.versions.node + '\\n');
  process.exit(2);
}`

/** Writes the file: the program, its packages and, at the end, their licenses. */
export async function buildMcp(file: string): Promise<void> {
  const bundle = await rolldown({
    input: join(root, 'mcp/src/main.ts'),
    platform: 'node',
    resolve: { alias: { '@tillgate/client': join(root, 'client/src/index.ts') } },
  })
  const footer = ({ moduleIds }: { moduleIds: string[] }) => {
    const packages = [...new Set(moduleIds.map(packageOf))].filter((at) => at !== undefined).toSorted()
    const licences = packages.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`)
    return `/*\nThis file contains:\n\n${licences.replaceAll('*/', '* /')}*/`
  }
  await bundle.write({ file, format: 'esm', banner, footer, codeSplitting: false })
  await bundle.close()
}

if (import.meta.main) await buildMcp(process.argv[2] ?? join(root, 'mcp/dist/main.js'))
