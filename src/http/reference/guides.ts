import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Marked, Tokens } from 'marked'
import { page } from './pages.ts'

/** Leads to the documents of the package, from `src/http` as from `dist/http`. */
const folder = join(import.meta.dirname, '../../../docs')

/** The guides for partners and till vendors, by their names under `/docs/`. Other documents are for maintainers. */
export const guides = {
  'first-order': {
    file: 'first-order.md',
    title: 'The first order, in five minutes',
    about: 'from nothing to an answer',
  },
  'push-from-a-till': {
    file: 'push-from-a-till.md',
    title: 'Push from a till',
    about: 'a whole till in 60 lines, and the ten usual mistakes',
  },
  'trusted-webhooks': {
    file: 'trusted-webhooks.md',
    title: 'Receive webhooks you can trust',
    about: 'an endpoint that loses nothing and does nothing twice',
  },
  'keep-a-copy': { file: 'keep-a-copy.md', title: 'Keep a copy in sync', about: 'and prove that it misses nothing' },
  'from-another-api': {
    file: 'from-another-api.md',
    title: 'From another POS API',
    about: 'where the concepts of Square, Toast, Lightspeed and Zelty are',
  },
  'from-another-system': {
    file: 'from-another-system.md',
    title: 'From another system',
    about: 'tickets, and Square, Toast, Loyverse, Lightspeed, DSFinV-K and CSV by a command',
  },
  webhooks: { file: 'webhooks.md', title: 'Receiving webhooks', about: 'register, verify, order, retries, the feed' },
  ingest: { file: 'ingest.md', title: 'Pushing records', about: 'what a till sends, and the verdicts it gets' },
  units: { file: 'decisions/0008-money-and-units.md', title: 'Money and units', about: 'what 12.5 and 1250 mean' },
  money: { file: 'money.md', title: 'Money', about: 'how amounts are added, rounded and judged' },
  times: {
    file: 'decisions/0007-times-and-null-fields.md',
    title: 'Times and nulls',
    about: 'whose clock, and which fields are there',
  },
  figures: { file: 'figures.md', title: 'Figures', about: 'what was sold, by business days' },
  'e-reporting': { file: 'e-reporting.md', title: 'E-reporting', about: 'sums for the French tax authority' },
  journal: { file: 'journal.md', title: 'The journal', about: 'what happened, in order, and how to prove it' },
  reconciliation: { file: 'reconciliation.md', title: 'Reconciliation', about: 'a Z report against its orders' },
  limits: { file: 'limits.md', title: 'Limits', about: 'sizes, rates, and the error beyond each' },
} as const

/** Is the name of a guide in its URL. */
export type GuideName = keyof typeof guides

/** Tells the name of a guide from any other text of a URL. */
export const isGuide = (name: string): name is GuideName => Object.hasOwn(guides, name)

/** Maps the file of each guide to its name, so that links between the files become links between the pages. */
const nameOfFile = new Map(Object.entries(guides).map(([name, { file }]) => [file as string, name]))

/** The decisions that the guides cite, by the name they have under `/docs/decisions/`. */
export async function decisionNames(): Promise<Set<string>> {
  const files = await readdir(join(folder, 'decisions'))
  return new Set(files.filter((file) => /^\d{4}-.*\.md$/.test(file)).map((file) => file.slice(0, -3)))
}

/**
 * Returns where a link of a document leads among the served pages, from `/docs/` on, and null where it leads to a
 * document that is not served. `href` is the link as written in the file `from`.
 */
function placeOf(href: string, from: string): string | null {
  const { pathname, hash } = new URL(href, `file:///${from}`)
  const file = pathname.slice(1)
  const guide = nameOfFile.get(file)
  if (guide !== undefined) return guide + hash
  if (/^decisions\/\d{4}-[\w-]+\.md$/.test(file)) return file.slice(0, -3) + hash
  return null
}

/** Makes the name of a heading in links, as code hosts do. */
const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** The renderer is large and rarely needed, so it is loaded with the first guide that somebody reads. */
let loaded: Promise<typeof Marked> | undefined

/** Loads the Markdown library on the first request for a page. */
const loadMarked = () => (loaded ??= import('marked').then(({ Marked }) => Marked))

/**
 * Renders the HTML of a document; `up` leads from its page to `/docs/`, so that links work under a path of a proxy too.
 */
async function toBody(text: string, file: string, up: string): Promise<string> {
  const marked = new (await loadMarked())({
    renderer: {
      heading({ tokens, depth, text: plain }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(plain)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const place = /^(https?:|#)/.test(href) ? href : placeOf(href, file)
        if (place === null) return inner
        return `<a href="${place === href ? href : up + place}">${inner}</a>`
      },
    },
  })
  return marked.parse(text)
}

/** Renders one Markdown file as a page. `up` leads from the page to the root of the documentation. */
async function toPage(file: string, up: string, title?: string): Promise<Buffer> {
  const text = await readFile(join(folder, file), 'utf8')
  const heading = title ?? /^# (.+)$/m.exec(text)?.[1] ?? file
  const way = `<p><a href="${up}guides">Guides</a> · <a href="${up}">API reference</a></p>`
  return Buffer.from(page(heading, way + (await toBody(text, file, up))))
}

/** The page of a guide, made from its document. */
export const guidePage = (name: GuideName): Promise<Buffer> => toPage(guides[name].file, './', guides[name].title)

/** Returns the page of a decision, by a name of `decisionNames`. */
export const decisionPage = (name: string): Promise<Buffer> => toPage(`decisions/${name}.md`, '../')

/** Returns the document of a guide as it is written, for programs that read. */
export const guideText = (name: GuideName): Promise<Buffer> => readFile(join(folder, guides[name].file))

/**
 * Writes what a language model is to read of this server (llmstxt.org); `to` leads to `/docs/`, `fileOf` says how a
 * guide is named there.
 */
export function llmsText(to: string, fileOf = (name: GuideName): string => `${name}.md`): string {
  const rows = Object.keys(guides)
    .filter(isGuide)
    .map((name) => `- [${guides[name].title}](${to}${fileOf(name)}): ${guides[name].about}`)
  return [
    '# Tillgate',
    '> The point-of-sale data API of one or more restaurants: orders, Z reports, catalog and location over HTTP and JSON, signed webhooks, and a feed of numbered events.',
    'Send the API key as `X-API-Key`. Order amounts are decimal units, tax included; catalog and report amounts are integers of cents. Times are UTC. Errors are problem documents (RFC 9457) with a closed `code`.',
    `## Guides\n\n${rows.join('\n')}`,
    `## Reference\n\n- [OpenAPI](${to}../openapi.json): every operation, schema and error code, with examples`,
  ]
    .join('\n\n')
    .concat('\n')
}

/** Makes a list of all guides; `to` leads to `/docs/`. */
export function guideList(to: string): string {
  const rows = Object.entries(guides).map(
    ([name, { title, about }]) => `<li><a href="${to}${name}">${title}</a>: ${about}</li>`,
  )
  return `<ul>${rows.join('\n')}</ul>`
}
