import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Where bundled modules are cached between runs. */
export const cache = join(root, 'node_modules/.cache')

/** Returns an expression for the original folder of a module, so that cached code finds the files beside its source. */
export const absolute = (id: string) => JSON.stringify(dirname(id))

/** Creates a cache folder in one step: another run finds it complete or not at all. */
export async function place(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(`${folder}-`)
  await make(draft)
  // Some of the processes run as another user.
  await chmod(draft, 0o755)
  // Another run may have created it first.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
}
