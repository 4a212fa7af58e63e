import { send, type Call } from '../api/request.ts'
import { useLocationId } from '../api/session.tsx'

type Paged<T> = {
  data: T[]
  meta: { totalPage: number } | { next: string | null }
  links?: { next: string | null }
}

/** Returns the query of the next page, or null. A link continues after a row, so new rows do not shift pages. */
function nextPage({ meta, links }: Paged<unknown>, index: number): Call['query'] | null {
  if (links !== undefined) {
    return links.next === null ? null : Object.fromEntries(new URL(links.next, globalThis.location.href).searchParams)
  }
  if ('totalPage' in meta) return index + 1 < meta.totalPage ? { index: index + 1 } : null
  return meta.next === null ? null : { cursor: meta.next }
}

/** Identifies a row of a list that has pages by index alone: these shift while rows arrive, and repeat rows. */
function identityOf(row: object): string {
  const { id, reportId, number } = row as Record<'id' | 'reportId' | 'number', unknown>
  return JSON.stringify(id ?? reportId ?? number ?? row)
}

/** Reads all rows of a filter; the key identifies the filter if the file name does not. */
export type AllRows<T> = (() => Promise<T[]>) & { readonly key?: string | undefined }

/** Reads all pages of a list: all rows of a filter, each once, for a file. */
export function useAllRows<T extends object>(call: Call): AllRows<T> {
  const location = useLocationId()
  const read = async () => {
    const rows: T[] = []
    const seen = new Set<string>()
    const first = { ...call.query, cursor: undefined, index: undefined, size: 100 }
    let place: Call['query'] | null = {}
    for (let index = 0; place !== null; index++) {
      const { data: page }: { data: Paged<T> } = await send({ ...call, query: { ...first, ...place } }, { location })
      const isNew = (row: T) => !('totalPage' in page.meta) || !seen.has(identityOf(row))
      const added = page.data.filter(isNew)
      for (const row of added) seen.add(identityOf(row))
      rows.push(...added)
      place = nextPage(page, index)
    }
    return rows
  }
  const filter = { ...call.query, index: undefined, cursor: undefined }
  return Object.assign(read, { key: JSON.stringify([location, call.path, filter]) })
}
