import { randomBytes } from 'node:crypto'
import { AppError, problems, type ProblemCode } from '../../errors.ts'
import { faults, stops } from '../../faults.ts'
import { baseUrl, type App, type Context } from '../context.ts'
import { referencePolicy } from '../headers.ts'
import { jsonType } from '../json-frame.ts'
import { page, pageHeaders, toHtml, withoutSlash } from '../pages.ts'
import { loadReference, nonceMark, type Reference } from '../reference.ts'
import { SharedFile } from '../shared-file.ts'

/** A code may be told in several ways: `line_too_long` rejects a record, and ends the reading of a line without end. */
type Explained = { kind: string; title: string; example?: string; help: string }

/** What there is to say of a code: it may be a problem, a fault inside one, and both. */
function explanationsOf(code: string): Explained[] {
  const found: Explained[] = []
  if (Object.hasOwn(problems, code)) {
    const [status, title, help] = problems[code as ProblemCode]
    found.push({ kind: `Status ${status}`, title, help })
  }
  if (Object.hasOwn(faults, code)) {
    const [title, example, help] = faults[code as keyof typeof faults]
    found.push({ kind: 'A fault in `errors`', title, example, help })
  }
  if (Object.hasOwn(stops, code)) {
    const [title, help] = stops[code as keyof typeof stops]
    found.push({ kind: 'A push that was `stopped`', title, help })
  }
  return found
}

/** A table of codes, each linked to its own page. */
function codeTable(heading: string, codes: Readonly<Record<string, unknown>>): string {
  const row = (code: string) => {
    const [{ kind, title } = { kind: '', title: '' }] = explanationsOf(code)
    return `<tr><td>${toHtml(kind)}</td><td><a href="errors/${code}"><code>${code}</code></a></td><td>${toHtml(title)}</td></tr>`
  }
  return `<h2>${heading}</h2><table>${Object.keys(codes).map(row).join('\n')}</table>`
}

/** The page that lists every code that a caller can see, from the closed tables. */
function errorList(): string {
  return page(
    'Errors',
    `<h1>Errors</h1><p>Every error is a problem document (RFC 9457) with one of these codes.</p>
    ${codeTable('Problems', problems)}${codeTable('Faults inside a request or a record', faults)}
    ${codeTable('Why the reading of a push stopped', stops)}<p><a href="./">API reference</a> · <a href="guides">Guides</a></p>`,
  )
}

/** The page of one code: what the status means, when it comes, and what to change. */
function errorPage(code: string, explanations: readonly Explained[]): string {
  const parts = explanations.map(({ kind, title, example, help }) => {
    const shown = example === undefined ? '' : `<p>For example: ${toHtml(example)}</p>`
    return `<h2>${toHtml(title)}</h2><p>${toHtml(kind)}, code <code>${code}</code></p>${shown}<p>${toHtml(help)}</p>`
  })
  return page(code, `<p><a href="../errors">Errors</a></p><h1><code>${code}</code></h1>${parts.join('')}`)
}

/** How many host names of this server get a document of their own, made once and shared. */
const hostsKept = 8

/**
 * `/openapi.json`, the interactive reference at `/docs` and a page per error code. Nothing is loaded from outside, and
 * nothing is made per request: no key is asked for here, so an answer must cost next to nothing.
 */
export function documentationRoutes(app: App, context: Pick<Context, 'docs' | 'publicUrl'>): void {
  if (!context.docs) return
  const schema = { hide: true }
  const route = { schema, onRequest: withoutSlash }
  const documents = new Map<string, SharedFile>()
  app.get('/openapi.json', { schema }, (request, reply) => {
    const base = baseUrl(context, request)
    // Whoever makes up names for this server is told it relative to the document, which is as true.
    const url = documents.has(base) || documents.size < hostsKept ? base : './'
    const made = () => Buffer.from(JSON.stringify({ ...app.swagger(), servers: [{ url }] }))
    const document = documents.get(url) ?? new SharedFile(jsonType, async () => made())
    documents.set(url, document)
    return document.send(request, reply)
  })
  app.get('/docs/errors', route, (_request, reply) => reply.headers(pageHeaders).send(errorList()))
  app.get<{ Params: { code: string } }>('/docs/errors/:code', route, (request, reply) => {
    const { code } = request.params
    const explanations = explanationsOf(code)
    if (explanations.length === 0) throw new AppError('route_not_found', `there is no error code ${code}`)
    return reply.headers(pageHeaders).send(errorPage(code, explanations))
  })

  let loading: Promise<Reference> | undefined
  // It is 4 MB of script, and few servers are asked. After a failure the next caller tries again.
  const reference = () =>
    (loading ??= loadReference().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
  const script = new SharedFile('application/javascript; charset=utf-8', async () => {
    const { buffer } = (await reference()).script
    return Buffer.from(buffer)
  })
  app.get('/docs', { schema }, async (request, reply) => {
    // What the page names is relative to it, so that it works under a path of a proxy too.
    if (!/\/docs\/(\?|$)/.test(request.url)) return reply.code(302).header('location', './docs/').send()
    const nonce = randomBytes(16).toString('base64url')
    const made = await reference()
    return reply
      .headers({ ...referencePolicy(nonce), 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      .send(made.page.replaceAll(nonceMark, nonce))
  })
  app.get('/docs/js/scalar.js', { schema }, (request, reply) => script.send(request, reply))
}
