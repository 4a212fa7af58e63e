import { dirname, join, relative } from 'node:path'
import { rolldown, type Plugin, type RolldownOptions } from 'rolldown'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** A joined module finds its files where it would find them by itself, written as an expression. */
export const inPlace = (directoryOf: (id: string) => string): Plugin => ({
  name: 'in place',
  transform: (code, id) => {
    const placed = code.replaceAll(/\b(?:import\.meta\.|__)dirname\b/g, () => directoryOf(id))
    return placed === code ? null : { code: placed, map: null }
  },
})

/**
 * Joins the program into a file for each command and shared files: finding and linking a thousand modules takes longer
 * than most commands do. Code that runs in a thread of its own is a separate file, too.
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

/** The packages of many modules that every command needs; the others are found where npm put them. */
const joined = /^(typebox|@fastify\/type-provider-typebox)(\/|$)/

/** The published program: its files are in one folder and find the others as the sources do. */
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
