import { pageSize, type PageLinks, type PageMeta } from './schema.ts'

export type RequestedPage = { index: number; size: number }

/** Returns index and size with their defaults, and with `size` capped (specification 8.3, 8.4). */
export function requestedPage(query: { index?: number; size?: number }): RequestedPage {
  return { index: query.index ?? 0, size: Math.min(query.size ?? pageSize.default, pageSize.maximum) }
}

export function pageMeta({ index, size }: RequestedPage, totalCount: number): PageMeta {
  return { totalCount, currentPageIndex: index, totalPage: Math.ceil(totalCount / size), pageSize: size }
}

/**
 * Placeholder for the index. `*` is not percent-encoded, but `?`, `&` and `=` inside a filter value are, so no value
 * can look like `&index=*`.
 */
const mark = '*'

/** The part of a URL before its query, and the query; fragments are dropped. */
const parts = /^([^?#]*)(?:\?([^#]*))?/

const markedIndex = /[?&]index=\*(?=&|$)/

/**
 * Makes absolute links that keep the filters in `address`; `next` and `prev` are null if that page does not exist. If
 * the list continues by position, the argument `next` is the `after` of the link to the next page, or null.
 */
export function pageLinks(address: string, meta: PageMeta, next?: string | null): PageLinks {
  // The query is serialized once, and the index inserted as text: each change of a `URL` serializes the whole URL.
  const [, path = '', search] = parts.exec(address) ?? []
  const query = new URLSearchParams(search)
  const after = query.get('after')
  query.delete('after')
  query.set('index', mark)
  query.set('size', String(meta.pageSize))
  const href = `${path}?${query.toString()}`
  const place = href.search(markedIndex) + '?index='.length
  const [before, behind] = [href.slice(0, place), href.slice(place + mark.length)]
  const at = (index: number, place?: string | null) =>
    `${before}${index}${behind}${place ? `&after=${encodeURIComponent(place)}` : ''}`
  const last = Math.max(meta.totalPage - 1, 0)
  const index = meta.currentPageIndex
  const nextOf = () => {
    if (next === undefined) return index < last ? at(index + 1) : null
    return next === null ? null : at(index + 1, next)
  }
  return {
    self: at(index, after),
    first: at(0),
    last: at(last),
    next: nextOf(),
    prev: index > 0 && meta.totalPage > 0 ? at(Math.min(index - 1, last)) : null,
  }
}

/** Formats the same links as a `Link` header (RFC 8288). */
export function linkHeader(links: PageLinks): string {
  return (['first', 'prev', 'next', 'last'] as const)
    .filter((rel) => links[rel] !== null)
    .map((rel) => `<${links[rel]}>; rel="${rel}"`)
    .join(', ')
}
