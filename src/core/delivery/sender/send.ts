import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'
import type { AddressRange } from '../../domain/addresses/addresses.ts'
import type { EndpointConnection } from './connection.ts'
import { createEndpoints } from './endpoints.ts'
import { Exchange } from './exchange.ts'
import type { Outcome } from './outcome.ts'
import { SocketPlaces } from './socket-places.ts'
import { createGuardedLookup, type Lookup } from './resolver.ts'

export type SenderOptions = {
  allowHttp: boolean
  /** Blocks that the guard lets through (`--allow-address`). */
  allowAddresses: readonly AddressRange[]
  /** One limit over waiting for a connection, DNS, TCP, TLS, headers and body. */
  deadlineMs?: number
  /** Kept of a response, before and after unpacking. */
  maxResponseBytes?: number
  /** Requests beyond these wait for a free connection, at the expense of their deadline. */
  maxConnectionsPerEndpoint?: number
  /** Connections of all endpoints together; a further one waits for a free place, at the expense of its deadline. */
  maxSockets?: number
  /** Instead of the system's. Its answers go through the guard as well. */
  lookup?: Lookup
  /** PEM file of certificate authorities to trust in addition to the usual ones. */
  caFile?: string
  /** Systems are asked for their sales: no advice to people who try webhooks. */
  isSource?: boolean
}

export type SendRequest = {
  url: string
  /** Lower-case names; those of the signature, and what the delivery adds. */
  headers: Readonly<Record<string, string>>
  /** The bytes that were signed; null for none. */
  body: Uint8Array | null
  /** Owner of the connections, such as a location; requests without an owner share one. */
  owner?: string
}

/** A request whose answer is wanted, where a webhook's is only kept for the log. */
export type AskRequest = SendRequest & {
  method: 'GET' | 'POST'
  deadlineMs: number
  /** The whole body is wanted, and a longer one is a failure. */
  maxResponseBytes: number
}

export type Sender = {
  /** Posts once. Never rejects: everything that the receiver does, and a refusal by the guard, is an outcome. */
  send(request: SendRequest): Promise<Outcome>
  /** Ends every connection; deliveries under way settle as `reset`. Finish them first. */
  close(): Promise<void>
}

/** Asks for what is stored elsewhere, as a source of data does. */
export type Asker = {
  /**
   * Asks once, by the same guard. Requests to one host share its connections. An answer that is not whole is a failure: `isTooLong` where
   * it has more than `maxResponseBytes`.
   */
  ask(request: AskRequest): Promise<Outcome>
}

const ownHeaders = {
  'content-type': 'application/json',
  'user-agent': 'Tillgate-Webhooks/1',
  accept: '*/*',
  'accept-encoding': 'identity',
}

const askHeaders = { 'user-agent': 'Tillgate-Sources/1', accept: 'application/json', 'accept-encoding': 'identity' }

/** Throws when `caFile` cannot be read or holds no certificate: a fault of the configuration. */
export function createSender(options: SenderOptions): Sender & Asker {
  const { allowAddresses, deadlineMs = 15_000, maxResponseBytes = 16 * 1024, maxConnectionsPerEndpoint = 8 } = options
  const { maxSockets = 512 } = options
  const connect = {
    lookup: createGuardedLookup(allowAddresses, options.lookup, options.isSource),
    allowAddresses,
    secureContext: secureContexts(options.caFile),
    opening: new Set<EndpointConnection>(),
    places: new SocketPlaces(maxSockets),
  }
  const endpoints = createEndpoints(
    { allowHttp: options.allowHttp, allowAddresses, isSource: options.isSource ?? false },
    connect,
    maxConnectionsPerEndpoint,
  )

  const ended = () => connect.places.rested()

  return {
    send({ url, headers, body, owner = '' }) {
      const requestHeaders = { ...ownHeaders, ...headers }
      const request = { url, headers: requestHeaders, body, owner, method: 'POST' as const }
      const dispatch = (exchange: Exchange) => endpoints.dispatch(request, exchange)
      return new Exchange({ deadlineMs, maxResponseBytes, requestHeaders, dispatch, ended }).begin()
    },
    ask({ url, headers, body, owner = '', method, ...limits }) {
      const request = { url, headers: { ...askHeaders, ...headers }, body, owner, method, sharesHost: true }
      const dispatch = (exchange: Exchange) => endpoints.dispatch(request, exchange)
      // What is asked with has a secret in it, and the outcome does not.
      return new Exchange({ ...limits, requestHeaders: {}, dispatch, ended, isWhole: true }).begin()
    },
    close: () => endpoints.close(),
  }
}

/** The authorities that Node trusts; `tillgate listen` as a file of its own runs where Node is older than 22.15, too. */
const usualAuthorities = (): readonly string[] =>
  (tls as Partial<typeof tls>).getCACertificates?.('default') ?? tls.rootCertificates

/** A configured file is read at once, so that a bad one fails at the start; otherwise at the first https endpoint. */
function secureContexts(caFile: string | undefined): () => tls.SecureContext {
  let context: tls.SecureContext | undefined
  if (caFile !== undefined) context = tls.createSecureContext({ ca: [...usualAuthorities(), readAuthorities(caFile)] })
  return () => (context ??= tls.createSecureContext())
}

function readAuthorities(caFile: string): string {
  const pem = readFileSync(caFile, 'utf8')
  try {
    // `createSecureContext` ignores what is no certificate.
    void new X509Certificate(pem)
  } catch (cause) {
    throw new TypeError(`${caFile} contains no PEM certificate`, { cause })
  }
  return pem
}
