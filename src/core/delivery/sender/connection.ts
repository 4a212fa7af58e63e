import { connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { AddressRange } from '../../domain/addresses/addresses.ts'
import { literalAddress } from '../../contract/webhooks/endpoint-url.ts'
import type { SocketPlaces } from './socket-places.ts'
import type { ResolvedAddress } from './name-lookup.ts'
import { checkAddress, type Lookup } from './resolver.ts'
import { skipContinues } from './unasked-continue.ts'

export type ConnectionStage = 'dns' | 'connect' | 'tls' | 'open'

type ConnectionPhases = { dnsMs: number | null; connectMs: number | null; tlsMs: number | null }

type Origin = { protocol: string; hostname: string; port: string }

export type ConnectOptions = {
  lookup: Lookup
  allowAddresses: readonly AddressRange[]
  /** Created once, by default at the first https endpoint: parsing the root certificates takes some 20 ms. */
  secureContext: () => SecureContext
  /** Connections that are not open yet. undici knows a socket only once it is open, so closing must end these as well. */
  opening: Set<EndpointConnection>
  places: SocketPlaces
}

/** Milliseconds that one address may take before the next address is tried in parallel (RFC 8305). */
const nextAddressMs = 500
const tcpKeepAliveMs = 60_000

/**
 * Opens one TCP or TLS connection, beginning with the name look-up. The socket gets addresses that the guard passed and
 * never a name to resolve, so it cannot connect elsewhere. `done` is called once, with the open socket or the error.
 */
export class EndpointConnection {
  stage: ConnectionStage = 'dns'
  /** The address in use, or the one last tried; null during the name look-up. */
  address: string | null = null
  readonly phases: ConnectionPhases = { dnsMs: null, connectMs: null, tlsMs: null }
  /** True once a request was written to the connection. */
  isUsed = false
  /** First error of the socket; undici reports only the resulting close. */
  fault: Error | null = null

  readonly #options: ConnectOptions
  readonly #owner: string
  #socket: Socket | null = null
  #done: ((error: Error | null, socket: Socket | null) => void) | null = null
  #stageStartedMs = 0
  #giveUpPlace: () => void = () => {}

  /** The connection counts toward the owner's sockets. */
  constructor(options: ConnectOptions, owner: string) {
    this.#options = options
    this.#owner = owner
  }

  /** Looks the name up and connects; call it once. `done` is called once, with the open socket or the error. */
  open(origin: Origin, done: (error: Error | null, socket: Socket | null) => void): void {
    this.#options.opening.add(this)
    this.#done = done
    this.#stageStartedMs = performance.now()
    this.#open(origin).catch((error: unknown) => this.#end(error instanceof Error ? error : new Error(String(error))))
  }

  /** Ends the connection at any stage. */
  abandon(reason: Error): void {
    this.#socket?.destroy()
    this.#end(reason)
  }

  async #open(origin: Origin): Promise<void> {
    const addresses = await this.#addresses(origin.hostname)
    if (!this.#done) return
    // Only after the look-up: a silent name server must not occupy the sockets of other owners.
    this.#giveUpPlace = this.#options.places.take(this.#owner, () => {
      try {
        this.#connect(origin, addresses)
      } catch (error) {
        this.#options.places.free(this.#owner)
        this.#end(error as Error)
      }
    })
  }

  #connect(origin: Origin, addresses: readonly ResolvedAddress[]): void {
    this.address = addresses[0]?.address ?? null
    const isTls = origin.protocol === 'https:'
    const socket = isTls ? this.#connectTls(origin, addresses) : connectTcp(tcpOptions(origin, addresses))
    this.#socket = socket
    socket.setNoDelay(true).setKeepAlive(true, tcpKeepAliveMs)
    socket.on('connectionAttempt', (address: string) => (this.address = address))
    socket.once('connect', () => {
      this.address = socket.remoteAddress ?? this.address
      this.#enter(isTls ? 'tls' : 'open')
      if (!isTls) this.#end(null)
    })
    socket.once('secureConnect', () => {
      this.#enter('open')
      this.#end(null)
    })
    // Stays for the life of the socket, so that no error is unhandled while undici takes the socket over.
    socket.on('error', (error) => {
      this.fault ??= error
      this.#end(error)
    })
    socket.once('close', () => {
      this.#options.places.free(this.#owner)
      this.#end(new Error('the connection was closed before it was established'))
    })
  }

  async #addresses(hostname: string): Promise<readonly ResolvedAddress[]> {
    const literal = literalAddress(hostname)
    if (literal === null) {
      const addresses = await this.#options.lookup(hostname)
      this.#enter('connect')
      return addresses
    }
    this.address = literal
    checkAddress(literal, this.#options.allowAddresses)
    this.stage = 'connect'
    return [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
  }

  #connectTls(origin: Origin, addresses: readonly ResolvedAddress[]): Socket {
    const { hostname } = origin
    const name = literalAddress(hostname) === null ? hostname.replace(/\.$/, '') : ''
    return connectTls({
      ...tcpOptions(origin, addresses),
      servername: name,
      secureContext: this.#options.secureContext(),
      ALPNProtocols: ['http/1.1'],
    })
  }

  #enter(next: ConnectionStage): void {
    this.#recordStage()
    this.stage = next
  }

  #recordStage(): void {
    const nowMs = performance.now()
    const spentMs = nowMs - this.#stageStartedMs
    this.#stageStartedMs = nowMs
    if (this.stage === 'dns') this.phases.dnsMs = spentMs
    else if (this.stage === 'connect') this.phases.connectMs = spentMs
    else if (this.stage === 'tls') this.phases.tlsMs = spentMs
  }

  #end(error: Error | null): void {
    const done = this.#done
    if (!done) return
    this.#done = null
    this.#options.opening.delete(this)
    this.#giveUpPlace()
    if (error === null) {
      if (this.#socket) skipContinues(this.#socket)
      return done(null, this.#socket)
    }
    this.#recordStage()
    done(error, null)
  }
}

function tcpOptions({ hostname, protocol, port }: Origin, addresses: readonly ResolvedAddress[]): TcpNetConnectOpts {
  const portNumber = Number(port || (protocol === 'https:' ? 443 : 80))
  const [first, ...others] = addresses
  if (first && others.length === 0) return { host: first.address, port: portNumber }
  return {
    host: hostname,
    port: portNumber,
    lookup: (_hostname, _options, callback) => callback(null, [...addresses]),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
  }
}
