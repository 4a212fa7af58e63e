import type { Query, Transport } from './transport.ts'

type Page<Item> = {
  data: Item[]
  meta: { totalCount: number; currentPageIndex: number; totalPage: number; pageSize: number }
}

/** Iterating yields every item; `pages()` yields pages with their `meta`. Both read lazily, with one page in memory. */
export type List<Item, ItemPage extends Page<Item> = Page<Item>> = AsyncIterable<Item> & {
  pages(): AsyncIterable<ItemPage>
}

/** Reads where the next page begins: the parameters of the server's link, or null on the last page. */
function nextOf(response: Response): Record<string, string> | null {
  const link = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  if (link === undefined) return null
  const { searchParams } = new URL(link, 'http://localhost')
  return Object.fromEntries([...searchParams].filter(([name]) => name === 'index' || name === 'after'))
}

/** Follows the links from page to page, so that no item is repeated or missed while the list changes. */
export function listOf<Item, ItemPage extends Page<Item>>(
  transport: Transport,
  path: string,
  query: Query & { size?: number; index?: number },
  signal?: AbortSignal,
): List<Item, ItemPage> {
  async function* pages(): AsyncGenerator<ItemPage> {
    for (let next: Query | null = { ...query, index: query.index ?? 0, size: query.size ?? 100 }; next !== null;) {
      const response: Response = await transport.send({ path, query: next, signal })
      const page = (await response.json()) as ItemPage
      if (page.data.length > 0 || next['after'] === undefined) yield page
      const place = nextOf(response)
      next = place && { ...next, ...place }
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.data
    },
  }
}

/** Yields every item of a list that continues from `meta.next`, page by page. */
export async function* listByCursor<Item>(
  transport: Transport,
  path: string,
  { signal, ...query }: { cursor?: string; signal?: AbortSignal },
): AsyncGenerator<Item> {
  let cursor: string | null | undefined = query.cursor
  do {
    const page: { data: Item[]; meta: { next: string | null } } = await transport.json({
      path,
      query: { ...query, cursor },
      signal,
    })
    yield* page.data
    cursor = page.meta.next ?? undefined
  } while (cursor !== undefined)
}

/** Yields every entry of a log that continues after a number, oldest first. */
export async function* listByNumber<Item>(
  transport: Transport,
  path: string,
  { signal, ...query }: { after?: number; signal?: AbortSignal },
): AsyncGenerator<Item> {
  for (let { after } = query; ;) {
    const page: { data: Item[]; meta: { next: number } } = await transport.json({
      path,
      query: { limit: 1000, ...query, after },
      signal,
    })
    yield* page.data
    if (page.data.length === 0 || page.meta.next === after) return
    after = page.meta.next
  }
}
