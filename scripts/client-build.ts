// Compiles the published client: `node scripts/client-build.ts [folder]`, client/dist by default.
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

/** Syntax of declarations that compilers before TypeScript 5.7 do not read, and its equivalent. */
const olderForms = [
  [/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"],
  [/export type \* from/g, 'export * from'],
  [/Uint8Array<ArrayBuffer>/g, 'Uint8Array'],
] as const

/** Writes JavaScript and declarations. */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '-p', 'client', '--outDir', resolve(folder)], { cwd: root })
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.d.ts')) continue
    const text = await readFile(join(folder, name), 'utf8')
    const readable = olderForms.reduce((older, [form, written]) => older.replaceAll(form, written), text)
    await writeFile(join(folder, name), readable)
  }
}

if (import.meta.main) await buildClient(process.argv[2] ?? join(root, 'client/dist'))
