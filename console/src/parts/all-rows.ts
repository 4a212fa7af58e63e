import { send, type Call } from '../api/request.ts'
import { useLocationId } from '../api/session.tsx'

type Paged<T> = { data: T[]; meta: { totalPage: number } | { next: string | number | null } }

/** What asks for the page after one; null after the last. */
function nextPage({ meta }: Paged<unknown>, index: number, cursorName: string): Call['query'] | null {
  if ('totalPage' in meta) return index + 1 < meta.totalPage ? { index: index + 1 } : null
  return meta.next === null || meta.next === 0 ? null : { [cursorName]: String(meta.next) }
}

/** Reads a list page by page to its end, by index or by cursor: all that a filter lets through, for a file. */
export function useAllRows<T>(call: Call, cursorName = 'cursor'): () => Promise<T[]> {
  const location = useLocationId()
  return async () => {
    const rows: T[] = []
    const size = call.query !== undefined && 'limit' in call.query ? {} : { size: 100 }
    const first = { ...call.query, [cursorName]: undefined, index: undefined, ...size }
    let place: Call['query'] | null = {}
    for (let index = 0; place !== null; index++) {
      const { data: page }: { data: Paged<T> } = await send({ ...call, query: { ...first, ...place } }, { location })
      rows.push(...page.data)
      place = nextPage(page, index, cursorName)
    }
    return rows
  }
}
