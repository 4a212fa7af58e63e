import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

export const root = join(import.meta.dirname, '../..')

/** Where joined modules are kept from one run to the next. */
export const cache = join(root, 'node_modules/.cache')

/** A module that is joined with others finds its files where it would find them by itself. */
export const inPlace: Plugin = {
  name: 'in place',
  transform: (code, id) => {
    const placed = code.replaceAll(/\b(?:import\.meta\.|__)(dirname|filename)\b/g, (_, what: string) =>
      JSON.stringify(what === 'dirname' ? dirname(id) : id),
    )
    return placed === code ? null : { code: placed, map: null }
  },
}

/** Makes a folder of the cache in one step: another run finds it whole or not at all. */
export async function place(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(`${folder}-`)
  await make(draft)
  // Some of the processes run as another user.
  await chmod(draft, 0o755)
  // Another run may have been quicker.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
}
