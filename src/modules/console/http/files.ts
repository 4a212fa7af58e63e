import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { jsonType } from '../../../core/http/answers/json-frame.ts'
import { preferredCoding, preferredType } from '../../../core/http/answers/negotiation.ts'
import { html, page, policyWith } from '../../../core/http/reference/pages.ts'
import { isKnown } from '../../../core/http/answers/replies.ts'

/** The output folder of the build, in a clone and in the package. */
const usualFolder = join(import.meta.dirname, '../../../../dist/console')

/** Maps the extension of each file of the built console to its content type; any other file is not served. */
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': html,
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Suffixes of the compressed files that the build writes beside a file, in the order of preference. */
const endings = { br: '.br', gzip: '.gz' }
const codings = ['br', 'gzip'] as const

/**
 * The policy allows only scripts of the console, none made from text (Trusted Types), no frames, and no requests to
 * other hosts.
 */
const pageHeaders = {
  'content-security-policy':
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
    `manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; ` +
    `require-trusted-types-for 'script'; trusted-types default`,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), serial=()',
  'cache-control': 'no-store',
}

/** A script that loads the page again. A `Refresh` header would not: for a URL with a `#`, a browser only scrolls. */
const again = 'setTimeout(() => location.reload(), 3000)'

/** The page of a clone whose console is not built yet. */
const notBuilt = page(
  'Console',
  `<h1>The console is not built</h1>
  <p>This server runs from the sources, and the console has not been built yet. The first start with npm builds it, and this
  page reloads until it is ready. If the terminal says that the build failed, run this in the folder of the sources:</p>
  <pre><code>npm run make -- console</code></pre>
  <p>The server does not need a restart. The published package includes the console.</p>
  <p>Everything else works without it: <a href="../docs/">API reference</a>.</p><script>${again}</script>`,
)

/** The code of a link is after the `#`, which a browser keeps when it loads the same page again. */
const notBuiltHeaders = { ...policyWith(again), 'cache-control': 'no-store', 'retry-after': '3' }

/**
 * Serves the built pages of the console. Only files of a listing of the folder are opened, so no path leads out of it.
 * The folder is listed at the first request, and again after a build.
 */
export class ConsoleFiles {
  readonly #folder: string
  #names = new Set<string>()
  #listedOf = 0

  constructor(folder = usualFolder) {
    this.#folder = folder
  }

  /** Answers `/console/…` with the file, the page of the application, or the instructions to build it. Throws 404. */
  async send(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isBuilt = await this.#list()
    if (this.#names.has(path) && path !== 'index.html') return this.#sendFile(path, request, reply)
    const isPage = path === '' || path === 'index.html' || preferredType(request, [jsonType, html]) === html
    if (!isPage || path.startsWith('assets/'))
      throw new AppError('route_not_found', 'the console does not have this file: open /console/')
    reply.header('content-type', html)
    if (!isBuilt) {
      return reply.code(503).headers(notBuiltHeaders).send(notBuilt)
    }
    // A relative base makes the page's links work at every path, including a path prefix of a proxy.
    const up = '../'.repeat(path.split('/').length - 1) || './'
    const text = await readFile(join(this.#folder, 'index.html'), 'utf8')
    return reply.headers(pageHeaders).send(text.replaceAll('"/console/', `"${up}`))
  }

  /** Lists the built files again if `index.html` has changed. Resolves to false if nothing is built. */
  async #list(): Promise<boolean> {
    const index = await stat(join(this.#folder, 'index.html')).catch(() => undefined)
    if (index && index.mtimeMs !== this.#listedOf) {
      const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true })
      const names = entries
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(this.#folder.length + 1)
            .replaceAll('\\', '/'),
        )
      this.#names = new Set(names)
      this.#listedOf = index.mtimeMs
    }
    if (!index) this.#names = new Set()
    return index !== undefined
  }

  /**
   * Sends a file in the smallest built encoding that the browser accepts. Files under `assets/` have a hash in their
   * name and are cached for a year; browsers revalidate the others, and get 304 if they have not changed.
   */
  async #sendFile(name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const type = types[extname(name)]
    if (type === undefined) throw new AppError('route_not_found', 'the console does not have this file: open /console/')
    const packed = codings.filter((coding) => this.#names.has(name + endings[coding]))
    const coding = preferredCoding(request, packed)
    const path = join(this.#folder, coding === 'identity' ? name : name + endings[coding])
    const { size, mtimeMs } = await stat(path)
    const isHashed = name.startsWith('assets/')
    const etag = `"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"`
    reply.headers({
      etag,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'Accept-Encoding',
    })
    if (isKnown(request, etag)) return reply.code(304).send()
    if (coding !== 'identity') reply.header('content-encoding', coding)
    return reply.headers({ 'content-type': type, 'content-length': size }).send(createReadStream(path))
  }
}
