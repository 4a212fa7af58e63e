import { Pool } from 'undici'
import type { ConnectOptions } from './connection.ts'
import { EndpointClient } from './endpoint-client.ts'
import type { Exchange } from './exchange.ts'
import {
  checkEndpointUrl,
  literalAddress,
  RefusedError,
  type EndpointPolicy,
} from '../../contract/webhooks/endpoint-url.ts'

/**
 * A pool per endpoint URL, not per origin: a hosted receiver may serve many webhooks from one origin, and a path that
 * hangs must not block the connections of other webhooks. A pool, with the parsed URL, lives as long as it has a
 * connection or a request.
 */
export type Endpoints = {
  /** Queues a request. Every failure is reported to the exchange; a refused URL at once, as `RefusedError`. */
  dispatch(request: EndpointRequest, exchange: Exchange): void
  /** Ends every connection; requests in progress and later ones end with an error. */
  close(): Promise<void>
}

/** A connection opened for the request counts toward `owner`. */
type EndpointRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body: Uint8Array | null
  owner: string
  /** True if all URLs of the host share a pool: a source of data has one URL per page. */
  sharesHost?: boolean
}

/** `owner` is the owner of its first request. */
type Endpoint = { path: string; pool: Pool; owner: string }

/** Returns path and query as registered: `URL.search` is empty for a bare question mark. */
function pathOf(url: URL): string {
  const [path = '/'] = url.href.slice(url.href.indexOf('/', url.protocol.length + 2)).split('#', 1)
  return path
}

const closedError = new Error('the sender was closed')

/** Makes endpoints with at most `maxConnections` each; a further request waits for a free connection. */
export function createEndpoints(policy: EndpointPolicy, connect: ConnectOptions, maxConnections: number): Endpoints {
  const open = new Map<string, Endpoint>()
  let isClosed = false

  function create(url: URL, key: string, owner: string): Endpoint {
    const pool = new Pool(url.origin, {
      connections: maxConnections,
      allowH2: false,
      factory: (origin) => new EndpointClient(origin, connect, owner),
    })
    const endpoint = { path: pathOf(url), pool, owner }
    const dropWhenIdle = () => {
      const { connected, size } = pool.stats
      if (connected > 0 || size > 0 || open.get(key) !== endpoint) return
      open.delete(key)
      pool.close().catch(() => {})
    }
    pool.on('disconnect', dropWhenIdle).on('connectionError', dropWhenIdle)
    open.set(key, endpoint)
    return endpoint
  }

  connect.places.makeRoom = (needy) => {
    for (const [key, { pool, owner }] of open) {
      if (needy !== undefined && owner !== needy) continue
      if (pool.stats.connected === 0 || pool.stats.size > 0) continue
      open.delete(key)
      pool.close().catch(() => {})
      return
    }
  }

  return {
    dispatch({ method, url, headers, body, owner, sharesHost = false }, exchange) {
      if (isClosed) return exchange.onResponseError(null, closedError)
      let endpoint = sharesHost ? undefined : open.get(url)
      if (endpoint === undefined) {
        const refusal = checkEndpointUrl(url, policy)
        if (refusal) {
          const address = refusal.code === 'endpoint_url_address' ? literalAddress(new URL(url).hostname) : null
          return exchange.onResponseError(null, new RefusedError(refusal.detail, address))
        }
        const parsed = new URL(url)
        const key = sharesHost ? `${parsed.origin} of a source` : url
        endpoint = { ...(open.get(key) ?? create(parsed, key, owner)), path: pathOf(parsed) }
      }
      endpoint.pool.dispatch({ method, path: endpoint.path, headers, body }, exchange)
    },
    async close() {
      isClosed = true
      const pools = [...open.values()].map(({ pool }) => pool.destroy(closedError))
      open.clear()
      for (const connection of connect.opening) connection.abandon(closedError)
      await Promise.all(pools)
    },
  }
}
