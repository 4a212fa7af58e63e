import { dirname, join, relative } from 'node:path'
import { rolldown, type Plugin, type RolldownOptions } from 'rolldown'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** An expression that finds a file at its original place from the bundled module. */
export const inPlace = (directoryOf: (id: string) => string): Plugin => ({
  name: 'in place',
  transform: (code, id) => {
    const placed = code.replaceAll(/\b(?:import\.meta\.|__)dirname\b/g, () => directoryOf(id))
    return placed === code ? null : { code: placed, map: null }
  },
})

/**
 * Bundles the program into one file per command plus shared files: finding and linking a thousand modules takes longer
 * than most commands run. Code for worker threads is a separate file.
 */
export async function writeProgram(folder: string, options: RolldownOptions, files: string): Promise<void> {
  const input = { main: join(src, 'main.ts'), reference: join(src, 'core/http/reference/reference.ts') }
  const bundle = await rolldown({ input, platform: 'node', treeshake: false, ...options })
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: `[name].${files}`,
    chunkFileNames: `[name]-[hash].${files}`,
    sourcemap: true,
  })
  await bundle.close()
}

/** Packages with many modules that every command needs. Other packages stay where npm installed them. */
const joined = /^(typebox|@fastify\/type-provider-typebox)(\/|$)/

/** The published program: its files are in one folder and find other files as the sources do. */
export const writePublished = (folder: string) =>
  writeProgram(
    folder,
    {
      external: (id) => /^[^./#]/.test(id) && !joined.test(id),
      plugins: [
        inPlace((id) =>
          id.startsWith(src)
            ? `(import.meta.dirname + ${JSON.stringify(`/${relative(src, dirname(id))}`)})`
            : 'import.meta.dirname',
        ),
      ],
    },
    'js',
  )
