import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linkHeader, requestedPage, pageLinks, pageMeta } from '../../../../src/core/contract/paging/paging.ts'

const url = 'https://pos.example/v1/orders/?since=2026-03-01&index=3'

test('index defaults to 0 and size to 10; a size above 100 is 100', () => {
  assert.deepEqual(requestedPage({}), { index: 0, size: 10 })
  assert.deepEqual(requestedPage({ index: 7, size: 101 }), { index: 7, size: 100 })
})

test('an empty list has no pages, and its first and last links lead to page 0', () => {
  const meta = pageMeta({ index: 0, size: 10 }, 0)
  assert.deepEqual(meta, { totalCount: 0, currentPageIndex: 0, totalPage: 0, pageSize: 10 })
  const links = pageLinks(url, meta)
  assert.deepEqual([links.first, links.last], [links.self, links.self])
  assert.deepEqual([links.next, links.prev], [null, null])
})

test('past the end next is null, and prev is the last page', () => {
  const links = pageLinks(url, pageMeta({ index: 9, size: 10 }, 21))
  assert.equal(links.next, null)
  assert.equal(new URL(links.prev ?? '').searchParams.get('index'), '2')
})

test('links keep the filters and contain the size in force', () => {
  const { self } = pageLinks(url, pageMeta({ index: 0, size: 100 }, 500))
  assert.equal(self, 'https://pos.example/v1/orders/?since=2026-03-01&index=0&size=100')
})

test('links are the requested URL with index and size set, whatever else the query contains', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('*', '?index=*', '&index=*&', 'index'))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), fc.nat({ max: 50 }), (parameters, index) => {
      const url = new URL('https://pos.example/v1/orders/')
      for (const [name, value] of parameters) url.searchParams.append(name, value)
      const expected = new URL(url)
      expected.searchParams.set('index', String(index))
      expected.searchParams.set('size', '10')
      assert.equal(pageLinks(url.href, pageMeta({ index, size: 10 }, 500)).self, expected.href)
    }),
  )
})

test('a query ends at the fragment, and a second question mark is part of it', () => {
  const { self } = pageLinks('https://pos.example/v1/orders/?state=a?b#c', pageMeta({ index: 0, size: 10 }, 5))
  assert.equal(self, 'https://pos.example/v1/orders/?state=a%3Fb&index=0&size=10')
})

test('next leads to the end and prev back, with each page once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 100 }), (total, size) => {
      const at = (link: string | null) => (link === null ? null : Number(new URL(link).searchParams.get('index')))
      const linksOf = (index: number) => pageLinks(url, pageMeta({ index, size }, total))
      const walk = (rel: 'next' | 'prev', from: number) => {
        const seen: number[] = []
        for (let index: number | null = from; index !== null; index = at(linksOf(index)[rel])) seen.push(index)
        return seen
      }
      const last = Math.max(Math.ceil(total / size) - 1, 0)
      const all = Array.from({ length: last + 1 }, (_, i) => i)
      assert.deepEqual(walk('next', 0), all)
      assert.deepEqual(walk('prev', last), all.toReversed())
      assert.equal(at(linksOf(0).last), last)
    }),
  )
})

test('the Link header contains the other existing pages, and not the page itself', () => {
  const links = { self: 'u:s', first: 'u:f', last: 'u:l', next: 'u:n', prev: null }
  assert.equal(linkHeader(links), '<u:f>; rel="first", <u:n>; rel="next", <u:l>; rel="last"')
})
