// Builds dist/downloads/, which a server offers under /docs/downloads/: the receivers, the client as an npm package
// with its example, and `tillgate listen` and the MCP server as one file each.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { buildClient } from './client-build.ts'
import { buildMcp } from './mcp-build.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

/** Downloads that are copied unchanged. */
const sources = [
  'receivers/python/receiver.py',
  'receivers/python/mail-the-day.py',
  'receivers/php/receiver.php',
  'receivers/go/receiver.go',
  'receivers/csharp/Receiver.cs',
  'client/examples/sqlite-copy.js',
]

/** Packs the client: its compiled code and its other files. */
async function packClient(folder: string): Promise<void> {
  const made = join(folder, 'client')
  await cp(join(root, 'client'), made, { recursive: true, filter: (path) => !/\/(node_modules|src|dist)$/.test(path) })
  await buildClient(join(made, 'dist'))
  const packed = join(folder, 'packed')
  await mkdir(packed)
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], { cwd: made })
  const [file = ''] = await readdir(packed)
  await rename(join(packed, file), join(folder, 'tillgate-client.tgz'))
  await rm(made, { recursive: true })
  await rm(packed, { recursive: true })
}

/** Older versions of Node lack functions that the HTTP client uses. */
const listensFrom = [22, 15]

/** The beginning of the file: prints a message instead of a stack trace. */
const banner = `const [nodeMajor, nodeMinor] = process.versions.node.split('.').map(Number);
if (nodeMajor < ${listensFrom[0]} || (nodeMajor === ${listensFrom[0]} && nodeMinor < ${listensFrom[1]})) {
  process.stderr.write('error: this file needs Node ${listensFrom.join('.')} or later, and this is Node ' + process.versions.node + '\\n');
  process.exit(2);
}`

/** Bundles `tillgate listen` into one file, for Node 22.15 or later. */
async function joinListen(folder: string): Promise<void> {
  const bundle = await rolldown({ input: join(root, 'simulator/cli/listen-alone.ts'), platform: 'node' })
  await bundle.write({
    file: join(folder, 'tillgate-listen.mjs'),
    format: 'esm',
    banner,
    minify: false,
    codeSplitting: false,
  })
  await bundle.close()
}

/** Creates or replaces the files of a folder. Each file appears complete, even to a server that is reading it. */
export async function makeDownloads(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const draft = await mkdtemp(resolve(folder, '.draft-'))
  try {
    await Promise.all([
      packClient(draft),
      joinListen(draft),
      buildMcp(join(draft, 'tillgate-mcp.mjs')),
      ...sources.map((path) => cp(join(root, path), join(draft, basename(path)))),
    ])
    for (const name of await readdir(draft)) await rename(join(draft, name), join(folder, name))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

if (import.meta.main) await makeDownloads(process.argv[2] ?? join(root, 'dist/downloads'))
