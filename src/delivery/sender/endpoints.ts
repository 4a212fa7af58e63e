import { Pool } from 'undici'
import type { ConnectOptions } from './connection.ts'
import { EndpointClient } from './endpoint-client.ts'
import type { Exchange } from './exchange.ts'
import {
  checkEndpointUrl,
  literalAddress,
  RefusedError,
  type EndpointPolicy,
} from '../../domain/addresses/endpoint-url.ts'

/**
 * Keeps a pool per endpoint URL, not per origin: a hosted receiver may serve many webhooks from one origin, and one
 * path of it that hangs must not hold the connections of the others. A pool lives as long as it has a connection or a
 * request; with it lives what was parsed of the URL.
 */
export type Endpoints = {
  /** Queues a POST. Every failure is reported to the exchange, a refused URL at once and as `RefusedError`. */
  dispatch(request: EndpointRequest, exchange: Exchange): void
  /** Ends every connection; requests under way end with an error, and so do later ones. */
  close(): Promise<void>
}

/** `owner` is whose places a connection takes that is opened for it. */
type EndpointRequest = { url: string; headers: Record<string, string>; body: Uint8Array; owner: string }

/** `owner` is the one who asked for it first. */
type Endpoint = { path: string; pool: Pool; owner: string }

const closedError = new Error('the sender was closed')

/** `maxConnections` holds per endpoint; a further request waits for a free one. */
export function createEndpoints(policy: EndpointPolicy, connect: ConnectOptions, maxConnections: number): Endpoints {
  const open = new Map<string, Endpoint>()
  let isClosed = false

  function create(text: string, owner: string): Endpoint {
    const url = new URL(text)
    const pool = new Pool(url.origin, {
      connections: maxConnections,
      allowH2: false,
      factory: (origin) => new EndpointClient(origin, connect, owner),
    })
    // The rest of the address as it was registered: `search` is empty for a bare question mark.
    const [path = '/'] = url.href.slice(url.href.indexOf('/', url.protocol.length + 2)).split('#', 1)
    const endpoint = { path, pool, owner }
    const dropWhenIdle = () => {
      const { connected, size } = pool.stats
      if (connected > 0 || size > 0 || open.get(text) !== endpoint) return
      open.delete(text)
      pool.close().catch(() => {})
    }
    pool.on('disconnect', dropWhenIdle).on('connectionError', dropWhenIdle)
    open.set(text, endpoint)
    return endpoint
  }

  connect.places.makeRoom = (needy) => {
    for (const [text, { pool, owner }] of open) {
      if (needy !== undefined && owner !== needy) continue
      if (pool.stats.connected === 0 || pool.stats.size > 0) continue
      open.delete(text)
      pool.close().catch(() => {})
      return
    }
  }

  return {
    dispatch({ url, headers, body, owner }, exchange) {
      if (isClosed) return exchange.onResponseError(null, closedError)
      let endpoint = open.get(url)
      if (endpoint === undefined) {
        const refusal = checkEndpointUrl(url, policy)
        if (refusal) {
          const address = refusal.code === 'endpoint_url_address' ? literalAddress(new URL(url).hostname) : null
          return exchange.onResponseError(null, new RefusedError(refusal.detail, address))
        }
        endpoint = create(url, owner)
      }
      endpoint.pool.dispatch({ method: 'POST', path: endpoint.path, headers, body }, exchange)
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
