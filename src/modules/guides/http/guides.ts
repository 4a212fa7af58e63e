import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Marked, Tokens } from 'marked'
import { downloadNames, downloads, readDownload, type DownloadName } from './downloads.ts'
import { page, toHtml } from '../../../core/http/reference/pages.ts'

/** The folder of the documents, in a clone and in the package. */
const folder = join(import.meta.dirname, '../../../../docs')

/** The guides for partners and till vendors, by their names under `/docs/`. Other documents are for maintainers. */
export const guides = {
  'url-and-key': {
    file: 'url-and-key.md',
    title: 'You have a URL and a key',
    about: 'scopes, first requests, events, and the downloads of this server',
  },
  'first-order': {
    file: 'first-order.md',
    title: 'The first order, in five minutes',
    about: 'read an order, push one, and read its history',
  },
  'push-from-a-till': {
    file: 'push-from-a-till.md',
    title: 'Push from a till',
    about: 'a complete till in 64 lines, and ten common mistakes',
  },
  'trusted-webhooks': {
    file: 'trusted-webhooks.md',
    title: 'Receive webhooks you can trust',
    about: 'an endpoint that loses no event and stores none twice',
  },
  'keep-a-copy': { file: 'keep-a-copy.md', title: 'Keep a copy in sync', about: 'and check that nothing is missing' },
  'from-another-api': {
    file: 'from-another-api.md',
    title: 'From another POS API',
    about: 'the concepts of Square, Toast, Lightspeed and Zelty in Tillgate',
  },
  'from-another-system': {
    file: 'modules/from-another-system.md',
    title: 'From another system',
    about: 'import from Square, Toast, SumUp, Loyverse, Lightspeed, DSFinV-K and CSV, or push tickets',
  },
  webhooks: {
    file: 'contract/webhooks.md',
    title: 'Receiving webhooks',
    about: 'registration, signatures, order, retries, and the feed',
  },
  ingest: {
    file: 'contract/ingest.md',
    title: 'Pushing records',
    about: 'what a till sends, and the verdicts it receives',
  },
  units: { file: 'decisions/0008-money-and-units.md', title: 'Money and units', about: 'what 12.5 and 1250 mean' },
  money: { file: 'contract/money.md', title: 'Money', about: 'how amounts are added, rounded and classified' },
  times: {
    file: 'decisions/0007-times-and-null-fields.md',
    title: 'Times and nulls',
    about: 'which clock applies, and which fields are present',
  },
  figures: { file: 'modules/figures.md', title: 'Figures', about: 'sales by business day' },
  books: {
    file: 'modules/books.md',
    title: 'Books',
    about: 'booking entries for accountants: accounts, batches, files, closings',
  },
  proofs: {
    file: 'modules/proofs.md',
    title: 'Checkpoints and proofs',
    about: 'prove to third parties that an order is in the journal',
  },
  tables: { file: 'modules/tables.md', title: 'Tables', about: 'closed orders as CSV and Parquet, one file per month' },
  archive: {
    file: 'modules/archive.md',
    title: 'The archive of a year',
    about: 'a ZIP file for auditors, with its own verification script',
  },
  'e-reporting': { file: 'modules/e-reporting.md', title: 'E-reporting', about: 'sums for the French tax authority' },
  journal: { file: 'contract/journal.md', title: 'The journal', about: 'all changes in order, and how to verify them' },
  reconciliation: {
    file: 'modules/reconciliation.md',
    title: 'Reconciliation',
    about: 'how a Z report is compared with its orders',
  },
  client: { file: 'client.md', title: 'The client', about: 'for TypeScript and JavaScript' },
  receivers: { file: 'receivers/README.md', title: 'Receivers', about: 'single-file programs in four languages' },
  'receivers/python': { file: 'receivers/python.md', title: 'Receiver in Python', about: 'Python 3.8 or later' },
  'receivers/php': { file: 'receivers/php.md', title: 'Receiver in PHP', about: 'PHP 8.1 or later' },
  'receivers/go': { file: 'receivers/go.md', title: 'Receiver in Go', about: 'Go 1.19 or later' },
  'receivers/csharp': {
    file: 'receivers/csharp.md',
    title: 'Receiver in C#',
    about: '.NET 6, .NET Framework 4.7, Mono',
  },
  mcp: {
    file: 'mcp.md',
    title: 'For a language model',
    about: 'a read-only MCP server in one file',
  },
  limits: { file: 'contract/limits.md', title: 'Limits', about: 'sizes and rates, and what happens beyond them' },
} as const

export type GuideName = keyof typeof guides

export const isGuide = (name: string): name is GuideName => Object.hasOwn(guides, name)

/** The page of each document. `client/README.md` has the page `client`, which has the same content and more. */
const nameOfFile = new Map([
  ...Object.entries(guides).map(([name, { file }]) => [file as string, name] as const),
  ['client/README.md', 'client'],
])

/** The downloads, by the source file that documents link to. */
const downloadOfFile = new Map(
  downloadNames.flatMap((name): [string, DownloadName][] => {
    const { source } = downloads[name]
    return source === null ? [] : [[source, name]]
  }),
)

/** Resolves to the decisions that the guides cite, by their names under `/docs/decisions/`. */
export async function decisionNames(): Promise<Set<string>> {
  const files = await readdir(join(folder, 'decisions'))
  return new Set(files.filter((file) => /^\d{4}-.*\.md$/.test(file)).map((file) => file.slice(0, -3)))
}

/**
 * Returns the served path of a link in a document, from `/docs/` on; null if its target is not served. `href` is the
 * link as written in the file `from`; `ending` is the ending of served pages: '' for HTML, '.md' for the text.
 */
function placeOf(href: string, from: string, ending: '' | '.md'): string | null {
  const { pathname, hash } = new URL(href, `file:///${from}`)
  const file = pathname.slice(1)
  const download = downloadOfFile.get(file)
  if (download !== undefined) return `downloads/${download}`
  const guide = nameOfFile.get(file)
  if (guide !== undefined) return guide + ending + hash
  if (/^decisions\/\d{4}-[\w-]+\.md$/.test(file)) return file.slice(0, -3) + ending + hash
  // A served document may link to another by its served path.
  return pathname.startsWith('/downloads/') || pathname === '/openapi.json' ? file : null
}

const isOutside = (href: string) => /^(https?:|mailto:|#)/.test(href)

/** Makes the anchor of a heading, as code hosts do. */
const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** The renderer is large and rarely needed, so it is loaded with the first guide. */
let loaded: Promise<typeof Marked> | undefined

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
        const place = isOutside(href) ? href : placeOf(href, file, '')
        if (place === null) return inner
        return `<a href="${place === href ? href : up + place}">${inner}</a>`
      },
    },
  })
  return marked.parse(text)
}

/** The placeholders of addresses in samples. */
const sampleAddresses = /https:\/\/pos\.example(?![\w.-])|http:\/\/127\.0\.0\.1:4747/g

/** Writes the address of this server into the samples of a text; null leaves them unchanged. */
const addressed = (text: string, base: string | null) => (base === null ? text : text.replaceAll(sampleAddresses, base))

/** The file and title of a page; `up` leads from the page to the root of the documentation. */
type Served = { file: string; up: string; title?: string }

const guideOf = (name: GuideName): Served => {
  const { file, title } = guides[name]
  return { file, title, up: name.includes('/') ? '../' : './' }
}

const decisionOf = (name: string): Served => ({ file: `decisions/${name}.md`, up: '../' })

/** Matches notes for the tests of a document, which are removed before readers see it. */
const notes = /^<!--.*-->\n\n?/gm

/** Reads a document; `base` is the address of the server for its samples. */
async function readDocument(file: string, base: string | null): Promise<string> {
  const text = await readFile(join(folder, file), 'utf8')
  return addressed(text.replaceAll(notes, ''), base)
}

async function toPage({ file, up, title }: Served, base: string | null): Promise<Buffer> {
  const text = await readDocument(file, base)
  const heading = title ?? /^# (.+)$/m.exec(text)?.[1] ?? file
  const way = `<p><a href="${up}guides">Guides</a> · <a href="${up}">API reference</a></p>`
  return Buffer.from(page(heading, way + (await toBody(text, file, up))))
}

/** Resolves to the source of the document, for programs. Links lead to served pages or are removed. */
async function toText({ file, up }: Served, base: string | null): Promise<Buffer> {
  const parts = (await readDocument(file, base)).split(/(^ *```[^]*?^ *```$)/m)
  const linked = (text: string) =>
    text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, name: string, href: string) => {
      if (isOutside(href)) return link
      const place = placeOf(href, file, '.md')
      return place === null ? name : `[${name}](${up}${place})`
    })
  return Buffer.from(parts.map((part, i) => (i % 2 === 0 ? linked(part) : part)).join(''))
}

/** Returns the page of a guide, made from its document. */
export const guidePage = (name: GuideName, base: string | null): Promise<Buffer> => toPage(guideOf(name), base)

/** Returns the source of a guide, for programs. */
export const guideText = (name: GuideName, base: string | null): Promise<Buffer> => toText(guideOf(name), base)

/** Returns the page of a decision, by a name of `decisionNames`. */
export const decisionPage = (name: string, base: string | null): Promise<Buffer> => toPage(decisionOf(name), base)

export const decisionText = (name: string, base: string | null): Promise<Buffer> => toText(decisionOf(name), base)

/** Reads a download. Sources name the address of the server; the package and the `.mjs` programs stay as built. */
export async function downloadOf(name: DownloadName, base: string | null): Promise<Buffer> {
  const bytes = await readDownload(name)
  return name.endsWith('.tgz') || name.endsWith('.mjs') ? bytes : Buffer.from(addressed(bytes.toString(), base))
}

const introduction = [
  '# Tillgate',
  '> The point-of-sale data API of one or more restaurants: orders, Z reports, catalog and location over HTTP and JSON, signed webhooks, and a feed of numbered events.',
  'Send the API key as `X-API-Key`. Order amounts are decimal numbers in the main unit, tax included; all other amounts are integers in minor units: hundredths of the currency, or thousandths if it has three decimals. Times are UTC. Errors are problem documents (RFC 9457); each `code` has a page under `/docs/errors`.',
]

const rowsOf = (rows: readonly { title: string; place: string; about: string }[]) =>
  rows.map(({ title, place, about }) => `- [${title}](${place}): ${about}`).join('\n')

const guideRows = (placeOfGuide: (name: GuideName) => string) =>
  rowsOf(
    Object.keys(guides)
      .filter(isGuide)
      .map((name) => ({ ...guides[name], place: placeOfGuide(name) })),
  )

const reference = 'every operation, schema and error code, with examples'

/** Writes the overview of this server for language models (llmstxt.org), at its root. */
export function llmsText(): string {
  const given = downloadNames.map((name) => ({ title: name, place: `docs/downloads/${name}`, ...downloads[name] }))
  return [
    ...introduction,
    `## Guides\n\n${guideRows((name) => `docs/${name}.md`)}`,
    `## Downloads\n\n${rowsOf(given)}`,
    `## Reference\n\n- [OpenAPI](openapi.json): ${reference}\n- [Error codes](docs/errors) and [warnings](docs/warnings)\n`,
  ].join('\n\n')
}

/** Writes the overview for a clone of the repository, with links to its files. */
export function llmsTextOfSources(): string {
  return [
    ...introduction,
    `## Guides\n\n${guideRows((name) => guides[name].file)}`,
    `## Reference\n\n- [OpenAPI](../openapi.json): ${reference}\n`,
  ].join('\n\n')
}

/** Makes a list of all guides; `to` leads to `/docs/`. */
export function guideList(to: string): string {
  const rows = Object.entries(guides).map(
    ([name, { title, about }]) => `<li><a href="${to}${name}">${title}</a>: ${about}</li>`,
  )
  return `<ul>${rows.join('\n')}</ul>`
}

export function downloadList(to: string): string {
  const rows = downloadNames.map(
    (name) => `<li><a href="${to}downloads/${name}">${name}</a>: ${toHtml(downloads[name].about)}</li>`,
  )
  return `<ul>${rows.join('\n')}</ul>`
}
