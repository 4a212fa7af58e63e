import { send, type Call } from '../api/request.ts'
import { useLocationId } from '../api/session.tsx'

type Paged<T> = { data: T[]; meta: { totalPage: number } }

/** Reads a list page by page to its end: all that a filter lets through, for a file. */
export function useAllRows<T>(call: Call): () => Promise<T[]> {
  const location = useLocationId()
  return async () => {
    const rows: T[] = []
    for (let index = 0, pages = 1; index < pages; index += 1) {
      const page: Call = { ...call, query: { ...call.query, size: 100, index } }
      const { data } = await send<Paged<T>>(page, { location })
      rows.push(...data.data)
      pages = data.meta.totalPage
    }
    return rows
  }
}
