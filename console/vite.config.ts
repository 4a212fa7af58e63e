import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { firstLoad, type Manifest } from './first-load.ts'

const usualOutDir = join(import.meta.dirname, '../dist/console')

/** Maximum gzipped size of the files that index.html loads first. */
const firstLoadLimitKb = 190

/** Writes .gz and .br next to each file, prints the size of the first load, and fails if it is too large. */
function compressed(): Plugin {
  let outDir = usualOutDir
  return {
    name: 'tillgate-compressed',
    apply: 'build',
    configResolved: ({ build }) => void (outDir = build.outDir),
    closeBundle() {
      const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
      const manifest = JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8')) as Manifest
      const first = firstLoad(manifest)
      let total = 0
      for (const file of files.filter((name) => /\.(js|css|html|svg)$/.test(name))) {
        const bytes = readFileSync(join(outDir, file))
        const gzip = gzipSync(bytes, { level: 9 })
        writeFileSync(join(outDir, `${file}.gz`), gzip)
        writeFileSync(
          join(outDir, `${file}.br`),
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        )
        if (first.has(file)) total += gzip.length
      }
      const kb = (total / 1000).toFixed(1)
      console.error(`console: the first load is ${kb} kB gzipped, of ${firstLoadLimitKb}`)
      if (total > firstLoadLimitKb * 1000) this.error(`the first load is ${kb} kB, more than ${firstLoadLimitKb}`)
    },
  }
}

/** How the console is built (docs/inside/10-console.md). */
export default defineConfig({
  base: '/console/',
  plugins: [react(), compressed()],
  resolve: { alias: { '@tillgate/client': join(import.meta.dirname, '../client/src/index.ts') } },
  experimental: {
    // Relative paths, so that the console works under any path that a proxy gives it.
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'js' || hostType === 'css' ? { relative: true } : undefined),
  },
  build: {
    outDir: usualOutDir,
    emptyOutDir: true,
    target: 'es2023',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
