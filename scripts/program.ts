import { writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown, type OutputOptions, type Plugin } from 'rolldown'
import { licencesOf } from './licences.ts'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Makes a plugin by which bundled modules find files at their original location: it replaces `dirname`. */
export const inPlace = (directoryOf: (id: string) => string): Plugin => ({
  name: 'in place',
  transform: (code, id) => {
    const placed = code.replaceAll(/\b(?:import\.meta\.|__)dirname\b/g, () => directoryOf(id))
    return placed === code ? null : { code: placed, map: null }
  },
})

/** Not bundled: a worker thread loads the package of the API reference by itself. */
const external = [/^@scalar\//]

/**
 * Bundles the program and its packages into one file per command plus shared files: finding a thousand modules takes longer
 * than most commands run. Code for worker threads is a separate file. The files are CommonJS: importing `node:http` takes 45 ms of
 * processor time, requiring it 5.
 */
export async function writeProgram(
  folder: string,
  directoryOf: (id: string) => string,
  options: OutputOptions = {},
): Promise<void> {
  const input = { main: join(src, 'main.ts'), reference: join(src, 'core/http/reference/reference.ts') }
  const bundle = await rolldown({
    input,
    platform: 'node',
    treeshake: false,
    external,
    plugins: [inPlace(directoryOf)],
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Switching modules on has the highest priority, so its code is separate from the code that most commands share.
    codeSplitting: {
      groups: [
        { name: 'first', test: /\/(module|core\/modules)\.ts$/, priority: 1 },
        { name: 'shared', minShareCount: 20 },
      ],
    },
    ...options,
  })
  await bundle.close()
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
  writeFileSync(join(folder, 'LICENSES'), licencesOf(modules))
}

/** Writes the published program: its files are in one folder and find other files as the sources do. */
export const writePublished = (folder: string) =>
  writeProgram(folder, (id) =>
    id.startsWith(src) ? `(__dirname + ${JSON.stringify(`/${relative(src, dirname(id))}`)})` : '__dirname',
  )
