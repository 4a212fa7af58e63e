// Writes docs/client.md from the doc comments of client/src, and docs/llms.txt: `npm run make -- openapi` runs it.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { llmsTextOfSources } from '../src/modules/guides/http/guides.ts'

const root = resolve(import.meta.dirname, '..')

type Part = { name: string; signature: string; text: string }

/** Returns a doc comment as one paragraph. */
const toText = (comment: string) =>
  comment
    .replaceAll(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replaceAll(/\n\s*\*\s?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const docComment = String.raw`((?:^[ ]*\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)`

/** Returns the block of a class, type or function: from its doc comment to its last line. */
function blockOf({ file, head }: Pick<Section, 'file' | 'head'>): { text: string; body: string } {
  const source = readFileSync(resolve(root, `client/src/${file}.ts`), 'utf8')
  const match = new RegExp(`${docComment}^${head.source}[^\\n]*?(?:\\{\\n[^]*?^\\}|$)`, 'm').exec(source)
  if (!match) throw new Error(`nothing like ${head.source} in client/src`)
  return { text: toText(match[1] ?? ''), body: match[0].slice((match[1] ?? '').length) }
}

/** Returns a signature without the `signal` that every method takes: the page mentions it once. */
const withoutSignal = (signature: string) =>
  signature
    .replace(/(?:, )?(?:\{ signal \}: |options\??: )Options(?: = \{\})?(?=\))/, '')
    .replace(/\{ signal, \.\.\.(\w+) \}/, '$1')
    .replace(/ & Options(?=[ )])/, '')
    .replace(/\{ \w+, \.\.\.options \}: (\{[^}]*\}) = \{\}/, 'query?: $1')
    .replaceAll(/(\w+): ((?:[^,()=<]|<[^>]*>)*) = \{\}/g, '$1?: $2')

/** Returns the documented parts at two spaces of indentation: methods of a class, fields of a type. */
function membersOf(body: string): Part[] {
  const form = new RegExp(
    `${docComment}^  (?:readonly |async )*\\*?(\\w+)(\\??[(:<][^]*?)(?= \\{$|\\n(?=  \\/\\*\\*|  \\w|\\}))`,
    'gm',
  )
  return [...body.matchAll(form)].flatMap(([, comment = '', name = '', rest = '']) => {
    const signature = `${name}${rest}`.replaceAll(/\s+/g, ' ').replace('( ', '(').replace(', )', ')').trim()
    // The page mentions `signal` once, and has a section for each group of methods.
    const isGroup = comment === '' && sections.some(({ title }) => title === `tillgate.${name}`)
    const isSaid = name === 'constructor' || name === 'signal' || isGroup
    return isSaid ? [] : [{ name, signature: withoutSignal(signature), text: toText(comment) }]
  })
}

const rowsOf = (parts: readonly Part[]) =>
  parts.map(({ signature, text }) => `- \`${signature}\`${text === '' ? '' : `: ${text}`}`)

/** `more` is a block with further members. */
type Section = { title: string; file: string; head: RegExp; more?: Pick<Section, 'file' | 'head'> }

const sections: Section[] = [
  {
    title: 'ClientOptions',
    file: 'transport',
    head: /export type TransportOptions = /,
    more: { file: 'client', head: /export type ClientOptions = / },
  },
  { title: 'Tillgate', file: 'client', head: /export class Tillgate / },
  { title: 'tillgate.catalog', file: 'catalog', head: /export type Catalog = / },
  { title: 'tillgate.webhooks', file: 'webhooks', head: /export class Webhooks / },
  { title: 'tillgate.key', file: 'keys', head: /export class OwnKeyOperations / },
  { title: 'tillgate.books', file: 'books', head: /export class Books / },
  { title: 'tillgate.closings', file: 'closings', head: /export class Closings / },
  { title: 'tillgate.checkpoints', file: 'checkpoints', head: /export class Checkpoints / },
  { title: 'tillgate.exports', file: 'exports', head: /export class Exports / },
  { title: 'tillgate.console', file: 'console', head: /export class ConsoleAccess / },
  { title: 'tillgate.admin', file: 'admin', head: /export class Admin / },
  { title: 'Call', file: 'transport', head: /export type Call = / },
  { title: 'Lists', file: 'pages', head: /export type List</ },
  { title: 'EventsOptions', file: 'events', head: /export type EventsOptions = / },
  { title: 'IngestOptions', file: 'ingest', head: /export type IngestOptions = / },
  { title: 'CopyStore', file: 'sync', head: /export type CopyStore = / },
  { title: 'SyncOptions', file: 'sync', head: /export type SyncOptions = / },
  { title: 'SyncResult', file: 'sync', head: /export type SyncResult = / },
  { title: 'verifyWebhook', file: 'verify-webhook', head: /export async function verifyWebhook/ },
  { title: 'VerifyOptions', file: 'verify-webhook', head: /export type VerifyOptions = / },
  { title: 'VerifiedWebhook', file: 'verify-webhook', head: /export type VerifiedWebhook = / },
  { title: 'toNodeHandler', file: 'webhook-handlers', head: /export function toNodeHandler/ },
  { title: 'toFetchHandler', file: 'webhook-handlers', head: /export function toFetchHandler/ },
  { title: 'WebhookHandlerOptions', file: 'webhook-handlers', head: /export type WebhookHandlerOptions = / },
  { title: 'TillgateError', file: 'errors', head: /export class TillgateError / },
]

/** Returns the text of `docs/client.md`. */
export function clientDocs(): string {
  const readme = readFileSync(resolve(root, 'client/README.md'), 'utf8').replaceAll(
    '](examples/',
    '](../client/examples/',
  )
  const parts = sections.map((section) => {
    const { text, body } = blockOf(section)
    const members = [body, ...(section.more ? [blockOf(section.more).body] : [])].flatMap(membersOf)
    const isFunction = /function/.test(section.head.source)
    return [`### ${section.title}`, text, ...(isFunction ? [] : [rowsOf(members).join('\n')])]
      .filter((part) => part !== '')
      .join('\n\n')
  })
  const note = '<!-- Made from client/README.md and the doc comments of client/src by `npm run make -- openapi`. -->'
  const about =
    'Every method also takes `signal`, an `AbortSignal`, in its last argument; the signatures omit it. `Code` names the code of an expected error.'
  return `${[note, readme.trim(), '## Reference', about, ...parts].join('\n\n')}\n`
}

export const clientDocsPath = resolve(root, 'docs/client.md')

if (import.meta.main) {
  writeFileSync(clientDocsPath, clientDocs())
  writeFileSync(resolve(root, 'docs/llms.txt'), llmsTextOfSources())
}
