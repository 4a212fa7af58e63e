type Chunk = { file: string; imports?: string[]; css?: string[]; isEntry?: boolean }

/** Vite's `manifest.json`: the output of each source, and the files that it needs immediately. */
export type Manifest = Record<string, Chunk>

/** Files that a first visit waits for: the entry with its static imports, the screen after sign-in, one language. */
export function firstLoad(manifest: Manifest): Set<string> {
  const files = new Set<string>(['index.html', 'boot.js'])
  const add = (name: string): void => {
    const chunk = manifest[name]
    if (chunk === undefined || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const inner of chunk.imports ?? []) add(inner)
  }
  for (const [name, chunk] of Object.entries(manifest)) if (chunk.isEntry) add(name)
  for (const name of Object.keys(manifest)) if (/i18n\/en\.ts$|restaurant\/today\.tsx$/.test(name)) add(name)
  return files
}
