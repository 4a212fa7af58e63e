import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { programTests, quickTests, suiteNames } from '../../scripts/check.ts'
import { madeNames } from '../../scripts/make.ts'
import { besidePool, readConnections } from '../../src/core/server/connections.ts'
import { citations, projectRoot as root } from '../support/project-files.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Returns text on one line, so that line breaks in a page do not matter. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ')

const pages = readdirSync(join(root, 'docs/decisions')).filter((file) => file !== 'README.md')

/** Returns the page with a number such as `0007`. */
const pageOf = (number: string) => pages.find((file) => file.startsWith(`${number}-`))

/** The open points, each with its number and its text in the specification. */
const openPoints: [number: string, text: string][] = [
  ['13.1', "shape of the elements of an order's `menus`"],
  ['13.1', 'shape of `tips` when it is not null'],
  ['13.2', 'allowed values of `channel`, `serviceType`, `source`, `tier`'],
  ['13.2', "allowed values of a report entry's `entryType`"],
  [
    '13.3',
    'units and currency of monetary amounts (order amounts are decimal numbers; catalog and report amounts are integers)',
  ],
  ['13.4', 'which response fields are always present'],
  ['13.5', 'transitions'],
  ['13.6', 'sort direction of the lists'],
  ['13.7', 'success and failure status codes of the operations'],
  ['13.8', 'whether `locationId` in the test body is required'],
  ['13.9', 'the rule that decides which existing webhook is updated when `id` is absent'],
  ['13.10', 'exact header name and any value prefix'],
  ['13.11', 'complete list of event names'],
  ['13.11', 'payload schema of each event'],
  ['13.12', 'delivery details of real events (headers, signing, retries, expected response)'],
  ['13.13', 'error response body, status codes and error codes'],
  ['13.14', 'rate limits and request size limits'],
  ['13.15', 'policy for new versions, deprecation and version selection'],
]

/** The last chapter of the specification: for each number, its points as written there, and the page that decides them. */
const openRows = [
  ...read('docs/contract/specification.md').matchAll(
    /^\| (13\.\d+) \| (.+) \| \[\d{4}\]\(\.\.\/decisions\/(\S+)\) \|$/gm,
  ),
].map(([, number = '', text = '', page = '']) => ({ number, points: text.split(/; (?![^(]*\))/), page }))

/** Returns the section of a decision that quotes what the specification leaves open. */
const contextOf = (page: string) =>
  flat(read(`docs/decisions/${page}`).split('\n## Context\n')[1]?.split('\n## ')[0] ?? '')

/** Returns relative links of a Markdown file, without their anchors. */
function linksOf(path: string): string[] {
  return [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] as string)
}

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]

describe('decisions', () => {
  test('the specification lists the open points of the contract, each in its words, and no others', () => {
    const listed = openRows.flatMap(({ number, points }) => points.map((point) => [number, point] as const))
    assert.equal(listed.length, openPoints.length)
    for (const [i, [number, text]] of openPoints.entries()) {
      assert.equal(listed[i]?.[0], number)
      assert.ok(listed[i]?.[1].includes(text), `${number}: ${text}`)
    }
  })

  for (const { number, points, page } of openRows) {
    test(`the decision that specification ${number} names links to it and quotes its points`, () => {
      assert.ok(pages.includes(page), page)
      const context = contextOf(page)
      assert.ok(context.includes('(../contract/specification.md#13-what-the-contract-leaves-open)'), page)
      assert.match(context, new RegExp(String.raw`\b${number.replace('.', String.raw`\.`)}\b`))
      for (const point of points) assert.ok(context.includes(`“${point}”`), `${page} quotes “${point}”`)
    })
  }

  test('every quotation that says what the specification leaves open is in the specification', () => {
    const points = openRows.flatMap(({ points: of }) => of)
    const quoted = pages.flatMap((page) => [...contextOf(page).matchAll(/“([^”]+)”/g)].map(([, text = '']) => text))
    assert.deepEqual(quoted.toSorted(), points.toSorted())
  })

  test('every decision that a file of the project cites has a page', () => {
    const cited = citations(/\bdecisions? (0\d{3})\b/gi)
    assert.ok(cited.length > 50)
    assert.deepEqual(
      cited.filter(({ target }) => !pageOf(target)),
      [],
    )
  })

  test('the index lists every page once, in order, under its own title', () => {
    const listed = [...read('docs/decisions/README.md').matchAll(/^- \[\d{4}\]\((\S+)\) (.+)$/gm)].map(
      ([, file, title]) => `# ${file?.slice(0, 4)} ${title} (${file})`,
    )
    const actual = pages.toSorted().map((file) => `${read(`docs/decisions/${file}`).split('\n', 1)[0]} (${file})`)
    assert.deepEqual(listed, actual)
  })

  for (const page of pages) {
    test(`${page} has a unique number, a date, the same sections as the others and its test`, () => {
      const text = read(`docs/decisions/${page}`)
      assert.match(page, /^\d{4}-[a-z-]+\.md$/)
      assert.equal(pages.filter((other) => other.startsWith(page.slice(0, 4))).length, 1)
      assert.match(text, /^Accepted, \d{4}-\d\d-\d\d[.;]/m)
      for (const part of ['## Context', '## Decision', '## Reasons', '## Consequences', 'Checked by: '])
        assert.ok(text.includes(part), part)
    })
  }
})

const internals = readdirSync(join(root, 'docs/inside')).filter((file) => file !== 'README.md')

describe('pages on the internals', () => {
  test('are in their index, each once, and are linked where the project cites them', () => {
    const listed = [...read('docs/inside/README.md').matchAll(/^- \[.+\]\((\S+)\): /gm)].map(([, file = '']) => file)
    assert.deepEqual(listed.toSorted(), internals.toSorted())
    const cited = citations(/\bdocs\/inside\/([\w-]+\.md)/g).filter(({ target }) => target !== 'README.md')
    assert.ok(cited.length > 30)
    assert.deepEqual(
      cited.filter(({ target }) => !internals.includes(target)),
      [],
    )
  })

  for (const page of internals) {
    test(`${page} ends with its tests, which exist`, () => {
      const [, seen = ''] = /\n## How to see it\n(.*)$/s.exec(read(`docs/inside/${page}`)) ?? []
      const named = [...seen.matchAll(/`(test\/[^`*]+)`/g)].map(([, path = '']) => path)
      assert.ok(named.length > 0)
      assert.deepEqual(
        named.filter((path) => !statSync(join(root, path), { throwIfNoEntry: false })),
        [],
      )
    })
  }
})

describe('documents', () => {
  for (const path of documents) {
    test(`every link of ${path} leads to a file`, () => {
      const dead = linksOf(path).filter((link) => !statSync(join(root, path, '..', link), { throwIfNoEntry: false }))
      assert.deepEqual(dead, [])
    })
  }

  test('a link to a heading of a page leads to one', () => {
    const slug = (heading: string) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')
    let found = 0
    const dead = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*\.md|)#([^)]+)\)/g)]
        .filter(([, file = '', anchor]) => {
          found += 1
          const page = file === '' ? path : join(path, '..', file)
          return ![...read(page).matchAll(/^#+ (.+)$/gm)].some(([, heading = '']) => slug(heading) === anchor)
        })
        .map(([link]) => `${path}: ${link}`),
    )
    assert.deepEqual(dead, [])
    assert.ok(found > 200)
  })

  test('every npm script in a document is in package.json, with a valid argument of check or make', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const known: Record<string, readonly string[]> = { check: suiteNames, make: madeNames }
    const workflows = readdirSync(join(root, '.github/workflows')).map((file) => `.github/workflows/${file}`)
    const unknown = [...documents, ...workflows, '.github/PULL_REQUEST_TEMPLATE.md', '.ci/run'].flatMap((path) =>
      [...read(path).matchAll(/npm run (?:-s )?([\w:-]+)(?: -- ([\w-]+))?/g)]
        .filter(
          ([, name = '', part = '']) => !(name in scripts) || (part !== '' && known[name]?.includes(part) === false),
        )
        .map(([found]) => `${path}: ${found}`),
    )
    assert.deepEqual(unknown, [])
  })

  test('the numbers of connections in the pages are those of the program', () => {
    const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
    assert.ok(flat(read('docs/operate/configuration.md')).includes(`Up to ${words[besidePool]} more are opened`))
    for (const path of ['bench/peers/README.md', 'bench/reads.ts'])
      assert.ok(read(path).includes(`Tillgate reads over ${words[readConnections]}`), path)
  })

  test('CI runs the README’s line that passes the tests', () => {
    const line = /^npm ci && npm run check && npm run check:programs$/m.exec(read('README.md'))
    assert.ok(line, 'README.md has the line')
    const steps = read('.ci/run').split('\n')
    for (const step of line[0].split(' && '))
      assert.ok(steps.includes(step) || steps.includes(`twice ${step}`), `.ci/run has the step ${step}`)
  })

  test('each test file is run by one of the two commands', () => {
    const run = [...quickTests, ...programTests]
      .flatMap((glob) => globSync(glob, { cwd: root }))
      .filter((file) => file.startsWith('test/'))
    assert.deepEqual(run.toSorted(), globSync('test/**/*.test.ts', { cwd: root }).toSorted())
  })
})
