import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contractOperations, contractPage, readmeTable } from '../../scripts/contract-page.ts'
import { projectRoot } from '../support/project-files.ts'

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

/** Returns Markdown without the padding of its tables. */
const unpadded = (text: string) => text.replaceAll(/ *\| */g, '|').replaceAll(/-{3,}/g, '---')

/** The operations in chapter 9 of the specification, listed by hand. */
const specified = [
  'GET /health/',
  'GET /v1/catalog/',
  'GET /v1/catalog/modifiers/',
  'GET /v1/catalog/payments/',
  'GET /v1/catalog/taxes/',
  'GET /v1/locations/own',
  'GET /v1/orders/',
  'GET /v1/orders/{id}',
  'GET /v1/reports/',
  'GET /v1/reports/{id}',
  'GET /v1/webhooks/',
  'POST /v1/webhooks/',
  'POST /v1/webhooks/test/{id}',
]

test('the operations marked as the contract are those of the specification, under the first tag', () => {
  const marked = contractOperations()
  assert.deepEqual(marked.map(({ method, path }) => `${method} ${path}`).toSorted(), specified)
  const { tags, paths } = JSON.parse(read('openapi.json'))
  assert.equal(tags[0].name, 'Contract')
  const tagged = Object.values(paths as Record<string, Record<string, { tags?: string[] }>>)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => operation.tags?.includes('Contract'))
  assert.equal(tagged.length, marked.length)
})

test('docs/contract and the table of the README are generated (npm run make -- openapi writes them)', () => {
  assert.equal(unpadded(read('docs/contract/README.md')), unpadded(contractPage()), 'run npm run make -- openapi')
  assert.ok(unpadded(read('README.md')).includes(unpadded(readmeTable())), 'run npm run make -- openapi')
})
