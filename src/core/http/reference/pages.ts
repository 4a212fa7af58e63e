import type { FastifyReply, FastifyRequest } from 'fastify'
import { plainPagePolicy } from '../answers/headers.ts'

/** The content type of pages. It names UTF-8, so that no browser guesses. */
export const html = 'text/html; charset=utf-8'

/** The style of all pages of text; nothing is loaded from elsewhere. */
const style = `body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1c1c1e}
code{background:#f2f2f4;border-radius:4px;padding:.1em .3em}td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}
pre{background:#f2f2f4;border-radius:6px;padding:.8rem 1rem;overflow-x:auto;font-size:14px;line-height:1.5}pre code{padding:0}
table{display:block;overflow-x:auto;border-collapse:collapse}h2{margin-top:2.5rem}
@media(prefers-color-scheme:dark){body{background:#161618;color:#eee}code,pre{background:#2a2a2e}a{color:#8ab4ff}}`

/** Makes a plain page of the documentation; `body` is trusted HTML. */
export const page = (title: string, body: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title === 'Tillgate' ? title : `${title} · Tillgate`}</title>
<style>${style}</style></head><body>${body}</body></html>`

/** The Content-Security-Policy that allows the pages their own style and nothing else. */
export const pagePolicy = plainPagePolicy(style)

/** Makes `pagePolicy` for a page whose body ends with this script. */
export const policyWith = (script: string) => plainPagePolicy(style, script)

export const pageHeaders = {
  'content-type': html,
  'cache-control': 'public, max-age=3600',
  ...pagePolicy,
}

/** Formats text of a table of codes as HTML; text between backticks becomes code. */
export function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/** Redirects to the path without a trailing slash: links of a page are relative to it. */
export function withoutSlash(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
  const [path = '', query] = request.url.split('?', 2)
  if (!path.endsWith('/')) return next()
  const last = path.split('/').at(-2)
  void reply
    .code(302)
    .header('location', `../${last}${query === undefined ? '' : `?${query}`}`)
    .send()
}
