import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { guides, llmsText, type GuideName } from '../../src/http/reference/guides.ts'
import { assertProblem } from '../conformance/contract.ts'
import { startApp, type Answer } from '../support/app.ts'

const app = await startApp()

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { key: null, headers })

const linksOf = ({ text }: Answer) => [...text.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1] ?? '')

const isOurs = (href: string) => !/^https?:/.test(href)

/** Every page that can be reached from `/` by links, with what it answered. Fails at a link that leads nowhere. */
async function crawl(): Promise<Map<string, Answer>> {
  const seen = new Map<string, Answer>()
  const left = ['/']
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (seen.has(path)) continue
    const answer = await get(path, browser)
    assert.equal(answer.status, 200, path)
    seen.set(path, answer)
    if (path === '/docs/' || !String(answer.headers['content-type']).startsWith('text/html')) continue
    for (const href of linksOf(answer).filter(isOurs)) {
      const url = new URL(href, `${app.url}${path}`)
      assert.equal(url.origin, app.url, `${path} links to ${href}`)
      left.push(url.pathname)
    }
  }
  return seen
}

const pages = await crawl()

test('a browser at / reads what this is, and comes from there to every guide, the reference and the error codes', () => {
  for (const name of Object.keys(guides)) assert.ok(pages.has(`/docs/${name}`), name)
  // Addresses that partners have kept.
  const kept = ['webhooks', 'ingest', 'units', 'times', 'figures', 'journal', 'reconciliation', 'limits']
  for (const name of kept) assert.ok(pages.has(`/docs/${name}`), name)
  for (const path of ['/docs/', '/docs/errors', '/docs/warnings', '/openapi.json']) assert.ok(pages.has(path), path)
  assert.match(pages.get('/')?.text ?? '', /point-of-sale data API/)
})

test('a program at / is told where the description, the guides and the state of the service are', async () => {
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await get('/', headers)
    assert.equal(answer.status, 200)
    assert.match(String(answer.headers.vary), /Accept/)
    for (const place of ['docs', 'guides', 'openapi', 'health']) {
      const { origin, pathname } = new URL(answer.json[place])
      assert.equal(origin, app.url)
      const { status } = await app.get(pathname)
      assert.ok(status === 200 || status === 302, place)
    }
  }
  for (const headers of [{}, browser]) {
    assertProblem(await get('/hello', headers), { status: 404, code: 'route_not_found' })
    assertProblem(await get('/docs/hello', headers), { status: 404, code: 'route_not_found' })
    assertProblem(await get('/docs/decisions/hello', headers), { status: 404, code: 'route_not_found' })
  }
})

test('a guide is the document of the repository: all its headings, tables and samples', async () => {
  for (const [name, { file }] of Object.entries(guides)) {
    const source = await readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8')
    const { text } = pages.get(`/docs/${name}`) as Answer
    const prose = source.replaceAll(/^ *```[^]*?^ *```/gm, '')
    assert.equal(text.match(/<h[1-4] id=/g)?.length, prose.match(/^#{1,4} /gm)?.length, `headings of ${name}`)
    assert.equal(text.match(/<pre>/g)?.length ?? 0, (source.match(/^ *```/gm)?.length ?? 0) / 2, `samples of ${name}`)
    const tables = prose.match(/^\|[-:| ]+\|$/gm)?.length ?? 0
    const extra = prose.match(/^\|(?: *\|)+$/gm)?.length ?? 0
    assert.ok((text.match(/<table>/g)?.length ?? 0) >= tables - extra, `tables of ${name}`)
    assert.doesNotMatch(text, /\.md[)"]/, `${name} links to a file`)
  }
})

test('links of the guides work below a path of a proxy, with and without a slash at the end', async () => {
  for (const [path, { text }] of pages) {
    if (!text.startsWith('<!doctype html') || path === '/docs/') continue
    assert.doesNotMatch(text, /(?:href|src)="\//, `${path} has a link from the root`)
  }
  for (const path of ['webhooks', 'guides', 'errors', 'errors/key_missing', 'warnings', 'decisions/0014-versions']) {
    const slash = await get(`/docs/${path}/`)
    assert.equal(slash.status, 302, path)
    const location = String(slash.headers['location'])
    assert.equal(new URL(location, `https://pos.example/till/docs/${path}/`).pathname, `/till/docs/${path}`)
  }
})

test('the guides run nothing, load nothing, may not be framed, and are told again from their tag', async () => {
  for (const path of [...Object.keys(guides).map((name) => `/docs/${name}`), '/docs/guides', '/']) {
    const { headers, text } = pages.get(path) ?? (await get(path, browser))
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'/)
    assert.doesNotMatch(text, /<script|<img|<link| style=/, path)
  }
  const { headers } = await get('/docs/webhooks')
  assert.equal((await get('/docs/webhooks', { 'if-none-match': String(headers.etag) })).status, 304)
})

test('there is an icon', async () => {
  const answer = await get('/favicon.ico')
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'image/svg+xml'])
})

test('without documentation there are no guides, and / is a path like any other', async () => {
  const quiet = await startApp({ database: app.database, docs: false })
  for (const path of ['/', '/favicon.ico', '/docs/guides', '/docs/webhooks']) {
    assertProblem(await quiet.get(path, { key: null, headers: browser }), { status: 404, code: 'route_not_found' })
  }
})

test('/llms.txt names every guide as the text that it was written in, and docs/llms.txt the files', async () => {
  const answer = await get('/llms.txt')
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/plain; charset=utf-8'])
  const links = [...answer.text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '')
  assert.equal(links.length, Object.keys(guides).length + 1)
  for (const link of links) {
    const { status, text } = await get(new URL(link, `${app.url}/llms.txt`).pathname)
    assert.equal(status, 200, link)
    if (link.endsWith('.md')) assert.match(text, /^# /, link)
  }
  const written = await readFile('docs/llms.txt', 'utf8')
  assert.equal(
    written,
    llmsText('', (name: GuideName) => guides[name].file),
  )
})
