import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'
import type { AddressRange } from '../../domain/addresses/addresses.ts'
import type { EndpointConnection } from './connection.ts'
import type { Exchange } from './exchange.ts'
import type { Outcome } from './outcome.ts'
import { SocketPlaces } from './socket-places.ts'
import { createGuardedLookup, type Lookup } from './resolver.ts'

export type SenderOptions = {
  allowHttp: boolean
  /** Address blocks that the guard allows (`--allow-address`). */
  allowAddresses: readonly AddressRange[]
  /** Milliseconds for one attempt: waiting for a connection, DNS, TCP, TLS, headers and body. */
  deadlineMs?: number
  /** Maximum bytes kept of a response, before and after decompression. */
  maxResponseBytes?: number
  /** Maximum connections of one endpoint; further requests wait for a free one, within their deadline. */
  maxConnectionsPerEndpoint?: number
  /** Maximum connections of all endpoints together; further requests wait for a free one, within their deadline. */
  maxSockets?: number
  /** Replaces the system's look-up. Its answers go through the guard as well. */
  lookup?: Lookup
  /** PEM file of certificate authorities to trust in addition to those of Node. */
  caFile?: string
  /** True if systems are polled for their sales: error texts have no advice about testing webhooks. */
  isSource?: boolean
}

export type SendRequest = {
  url: string
  /** Lower-case names; the headers of the signature, and additional ones. */
  headers: Readonly<Record<string, string>>
  /** The signed bytes; null for none. */
  body: Uint8Array | null
  /** Owner of the connections, such as a location; requests without an owner count as one owner. */
  owner?: string
}

/** A request whose answer is used. The answer of a webhook, by contrast, is only kept in the log. */
export type AskRequest = SendRequest & {
  method: 'GET' | 'POST'
  deadlineMs: number
  /** The complete body is required, and a longer one is a failure. */
  maxResponseBytes: number
}

export type Sender = {
  /** Posts once. Never rejects: anything that the receiver does, and a refusal by the guard, is an outcome. */
  send(request: SendRequest): Promise<Outcome>
  /** Ends every connection; deliveries in progress settle as `reset`. Finish them first. */
  close(): Promise<void>
}

/** Requests data stored elsewhere, for a source of data. */
export type Asker = {
  /**
   * Sends one request, through the same guard as `send`. Requests to one host share connections. An incomplete answer
   * is a failure: `isTooLong` if it has more than `maxResponseBytes`.
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

/** Makes a sender. Throws if `caFile` cannot be read or contains no certificate: an error of the configuration. */
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
  const policy = { allowHttp: options.allowHttp, allowAddresses, isSource: options.isSource ?? false }
  const ended = () => connect.places.rested()
  const load = async () => {
    const [{ createEndpoints }, { Exchange }] = await Promise.all([import('./endpoints.ts'), import('./exchange.ts')])
    return { endpoints: createEndpoints(policy, connect, maxConnectionsPerEndpoint), Exchange }
  }
  let loaded: ReturnType<typeof load> | undefined
  // The HTTP client takes longer to load than any other package, so the first request loads it, not the start.
  const open = () => (loaded ??= load())

  return {
    async send({ url, headers, body, owner = '' }) {
      const { endpoints, Exchange } = await open()
      const requestHeaders = { ...ownHeaders, ...headers }
      const request = { url, headers: requestHeaders, body, owner, method: 'POST' as const }
      const dispatch = (exchange: Exchange) => endpoints.dispatch(request, exchange)
      return new Exchange({ deadlineMs, maxResponseBytes, requestHeaders, dispatch, ended }).begin()
    },
    async ask({ url, headers, body, owner = '', method, ...limits }) {
      const { endpoints, Exchange } = await open()
      const request = { url, headers: { ...askHeaders, ...headers }, body, owner, method, sharesHost: true }
      const dispatch = (exchange: Exchange) => endpoints.dispatch(request, exchange)
      // The request's headers contain a secret, and the outcome must not.
      return new Exchange({ ...limits, requestHeaders: {}, dispatch, ended, requiresFullBody: true }).begin()
    },
    close: async () => (await open()).endpoints.close(),
  }
}

/** Returns the authorities that Node trusts. Node before 22.15, where `tillgate listen` may run, cannot list them. */
const usualAuthorities = (): readonly string[] =>
  (tls as Partial<typeof tls>).getCACertificates?.('default') ?? tls.rootCertificates

/** Reads a configured file at once, so that an invalid file fails at the start; otherwise waits for the first use. */
function secureContexts(caFile: string | undefined): () => tls.SecureContext {
  let context: tls.SecureContext | undefined
  if (caFile !== undefined) context = tls.createSecureContext({ ca: [...usualAuthorities(), readAuthorities(caFile)] })
  return () => (context ??= tls.createSecureContext())
}

function readAuthorities(caFile: string): string {
  const pem = readFileSync(caFile, 'utf8')
  try {
    // `createSecureContext` ignores content that is not a certificate.
    void new X509Certificate(pem)
  } catch (cause) {
    throw new TypeError(`${caFile} contains no PEM certificate`, { cause })
  }
  return pem
}
