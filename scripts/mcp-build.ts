// Bundles mcp/ into one file that requires only Node: `node scripts/mcp-build.ts [file]`, mcp/dist/main.js by default.
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { licencesOf } from './licences.ts'

const root = join(import.meta.dirname, '..')

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
  const footer = ({ moduleIds }: { moduleIds: string[] }) =>
    `/*\nThis file contains:\n\n${licencesOf(moduleIds).replaceAll('*/', '* /')}*/`
  await bundle.write({ file, format: 'esm', banner, footer, codeSplitting: false })
  await bundle.close()
}

if (import.meta.main) await buildMcp(process.argv[2] ?? join(root, 'mcp/dist/main.js'))
