import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { makeDownloads } from '../../../../scripts/downloads.ts'
import { downloadNames, downloads } from '../../../../src/modules/guides/http/downloads.ts'
import { guides, llmsTextOfSources } from '../../../../src/modules/guides/http/guides.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp, type Answer } from '../../../support/app.ts'

const [app] = await Promise.all([startApp(), makeDownloads('dist/downloads')])

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { key: null, headers })

const linksOf = ({ text }: Answer) => [...text.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1] ?? '')

const isOurs = (href: string) => !/^https?:/.test(href)

/** Resolves to every page that is linked from `/`, directly or not, with its response. Fails at a broken link. */
async function crawl(): Promise<Map<string, Answer>> {
  const seen = new Map<string, Answer>()
  const left = ['/']
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    // The console is not a text, and exists only after a build.
    if (seen.has(path) || path === '/console/') continue
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

test('a browser at / gets an overview with links to every guide, the reference and the error codes', () => {
  for (const name of Object.keys(guides)) assert.ok(pages.has(`/docs/${name}`), name)
  // Addresses that partners may have saved.
  const kept = ['webhooks', 'ingest', 'units', 'times', 'figures', 'journal', 'reconciliation', 'limits']
  for (const name of kept) assert.ok(pages.has(`/docs/${name}`), name)
  for (const path of ['/docs/', '/docs/errors', '/docs/warnings', '/openapi.json']) assert.ok(pages.has(path), path)
  assert.match(pages.get('/')?.text ?? '', /point-of-sale data API/)
})

test('the overview links to the console where there is one', async () => {
  for (const isOn of [true, false]) {
    const other = await startApp({ console: { isOn, isInsecureAllowed: false } })
    const links = linksOf(await other.get('/', { key: null, headers: browser }))
    assert.equal(links.includes('console/'), isOn)
  }
})

test('a program at / gets the addresses of the description, the guides and the service state', async () => {
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

test('a guide contains all headings, tables and samples of the document in the repository', async () => {
  for (const [name, { file }] of Object.entries(guides)) {
    const source = await readFile(new URL(`../../../../docs/${file}`, import.meta.url), 'utf8')
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

test('links of the guides work below a path of a proxy, with and without a trailing slash', async () => {
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

test('the guides run nothing, load nothing, may not be framed, and are revalidated by their ETag', async () => {
  for (const path of [...Object.keys(guides).map((name) => `/docs/${name}`), '/docs/guides', '/']) {
    const { headers, text } = pages.get(path) ?? (await get(path, browser))
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'/)
    assert.doesNotMatch(text, /<script|<img|<link| style=/, path)
  }
  const { headers } = await get('/docs/webhooks')
  assert.equal((await get('/docs/webhooks', { 'if-none-match': String(headers.etag) })).status, 304)
})

test('the icon is served', async () => {
  const answer = await get('/favicon.ico')
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'image/svg+xml'])
})

test('without documentation there are no guides, and / is 404', async () => {
  const quiet = await startApp({ database: app.database, docs: false })
  for (const path of ['/', '/favicon.ico', '/docs/guides', '/docs/webhooks']) {
    assertProblem(await quiet.get(path, { key: null, headers: browser }), { status: 404, code: 'route_not_found' })
  }
})

/** Returns every link of a Markdown text outside of code. */
const markdownLinks = ({ text }: Answer) =>
  [...text.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')

test('every address linked from /llms.txt works, and each text is the document in the repository', async () => {
  const seen = new Set<string>()
  const left = ['/llms.txt']
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (seen.has(path)) continue
    seen.add(path)
    const answer = await get(path)
    assert.equal(answer.status, 200, path)
    const isText = path.endsWith('.md') || path === '/llms.txt'
    assert.equal(
      /^text\/(markdown|plain)/.test(String(answer.headers['content-type'])),
      isText || /\.(py|php|go|cs|m?js)$/.test(path),
      path,
    )
    if (!isText) continue
    assert.match(answer.text, /^# /, path)
    for (const href of markdownLinks(answer).filter(isOurs)) left.push(new URL(href, `${app.url}${path}`).pathname)
  }
  for (const name of Object.keys(guides)) assert.ok(seen.has(`/docs/${name}.md`), name)
  for (const name of downloadNames) assert.ok(seen.has(`/docs/downloads/${name}`), name)
  assert.ok(seen.has('/docs/decisions/0008-money-and-units.md') || seen.has('/docs/units.md'))
  assert.equal(await readFile('docs/llms.txt', 'utf8'), llmsTextOfSources())
})

test('samples contain the address of the server that serves them, in pages, texts and receivers', async () => {
  for (const path of [
    '/docs/url-and-key',
    '/docs/url-and-key.md',
    '/docs/receivers/python.md',
    '/docs/downloads/sqlite-copy.js',
  ]) {
    const { headers, text } = await get(path)
    assert.ok(text.includes(app.url), path)
    assert.doesNotMatch(text, /pos\.example|127\.0\.0\.1:4747/, path)
    assert.match(String(headers.vary), /Host/, path)
    const other = await get(path, { host: 'kasse.example:8443' })
    assert.ok(other.text.includes('http://kasse.example:8443'), path)
  }
  // For invented host names, the pages for any server are returned, and cached addresses stay cached.
  for (let n = 0; n < 40; n++) {
    await get('/docs/url-and-key.md', { host: `h${n}.example` })
    await get('/docs/url-and-key.md')
  }
  assert.match((await get('/docs/url-and-key.md', { host: 'late.example' })).text, /https:\/\/pos\.example/)
  assert.ok((await get('/docs/url-and-key.md')).text.includes(app.url))
})

test('the packed client and the programs are downloadable, byte for byte', async () => {
  for (const name of downloadNames) {
    const { headers, bytes } = await get(`/docs/downloads/${name}`, { 'accept-encoding': 'identity' })
    assert.equal(headers['content-disposition'], `attachment; filename="${name}"`)
    const { source } = downloads[name]
    const made = await readFile(source ?? `dist/downloads/${name}`)
    const expected = /tgz$|mjs$/.test(name)
      ? made
      : Buffer.from(
          made.toString().replaceAll('http://127.0.0.1:4747', app.url).replaceAll('https://pos.example', app.url),
        )
    assert.deepEqual(bytes, expected, name)
  }
})
