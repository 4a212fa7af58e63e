import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Pooler } from '../../src/core/store/db/database.ts'

/**
 * The state of the network between a client and its database:
 * - `open`: it forwards;
 * - `closes`: it accepts connections and ends them immediately, like a proxy whose target is down;
 * - `hears`: like `closes`, but only after the client has sent something;
 * - `silent`: connections stay open, and nothing arrives in either direction.
 */
export const networkStates = ['open', 'closes', 'hears', 'silent'] as const

export type NetworkState = (typeof networkStates)[number]

/** The address of a network, as the connection to its target. */
type Place = { url: string; pooler?: Pooler }

export type Network = {
  /** The same database, through this network. */
  connection: Place
  /** Changes how open and new connections behave; `closes` and `hears` end the open ones. */
  become(state: NetworkState): void
  /** Delays each piece in both directions; 0 for none. */
  slow(ms: number): void
  /** Ends open connections without a message. */
  cut(): void
  /** Resets open connections, like a machine that does not know them: clients get ECONNRESET. */
  reset(): void
  /** Ends each new connection after this many bytes from the server; null for never. */
  cutAfter(bytes: number | null): void
  /** Connects to another server from now on; open connections end. */
  redirect(next: Connection): void
  /** Changes the data from the server; null leaves it unchanged. */
  garble(change: ((piece: Buffer) => Buffer) | null): void
  /** Number of open client connections. */
  readonly links: number
  /** Number of accepted client connections so far. */
  readonly taken: number
  /** Bytes from the server on the last connection. */
  readonly carried: number
  close(): Promise<void>
}

export function dial(target: Connection): Socket {
  if ('url' in target) {
    const { hostname, port } = new URL(target.url)
    return connect(Number(port || 5432), hostname)
  }
  const { host, port } = target
  return host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
}

/** Returns the URL of the target with the host 127.0.0.1 and another port. */
export function at(target: Connection, port: number): Place {
  if ('url' in target) {
    const url = new URL(target.url)
    url.host = `127.0.0.1:${port}`
    return { url: url.href, ...(target.pooler ? { pooler: target.pooler } : {}) }
  }
  const { user, password, database } = target
  return { url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}` }
}

/** Starts a TCP proxy on 127.0.0.1 that forwards bytes regardless of the protocol. The caller closes it. */
export async function startNetwork(first: Connection): Promise<Network> {
  let target = first
  const links = new Set<{ client: Socket; server: Socket }>()
  let state: NetworkState = 'open'
  let open: () => void = () => {}
  let opened: Promise<void> = Promise.resolve()
  let delayMs = 0
  let cutBytes: number | null = null
  let garbled: ((piece: Buffer) => Buffer) | null = null
  let taken = 0
  let carriedLast = 0
  let last: Socket | undefined

  const carry = async (from: Socket, to: Socket, limit: number | null, change = (piece: Buffer) => piece) => {
    let carried = 0
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (delayMs > 0) await delay(delayMs)
      await opened
      const piece = limit === null ? chunk : chunk.subarray(0, limit - carried)
      to.write(change(piece))
      carried += piece.length
      if (to === last) carriedLast = carried
      if (carried === limit) {
        to.end()
        from.destroy()
        return
      }
    }
    await opened
    to.end()
  }
  const server = createServer((client) => {
    taken += 1
    last = client
    carriedLast = 0
    client.on('error', () => {})
    if (state === 'closes') client.destroy()
    else if (state === 'hears') client.once('data', () => client.destroy())
    else couple(client)
  })
  const couple = (client: Socket) => {
    const link = { client, server: dial(target) }
    links.add(link)
    link.server.on('error', () => {})
    const end = () => {
      links.delete(link)
      client.destroy()
      link.server.destroy()
    }
    link.server.once('close', () => setImmediate(end))
    client.once('close', end)
    void carry(client, link.server, null).catch(end)
    void carry(link.server, client, cutBytes, (piece) => garbled?.(piece) ?? piece).catch(end)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const { client, server } of links) {
      client.destroy()
      server.destroy()
    }
  }
  return {
    connection: at(target, port),
    become(next) {
      state = next
      if (next === 'closes' || next === 'hears') cut()
      if (next !== 'silent') return open()
      open()
      const gate = Promise.withResolvers<void>()
      opened = gate.promise
      open = gate.resolve
    },
    slow: (ms) => void (delayMs = ms),
    cut,
    reset() {
      for (const { client } of links) client.resetAndDestroy()
    },
    cutAfter: (bytes) => void (cutBytes = bytes),
    redirect(next) {
      target = next
      cut()
    },
    garble: (change) => void (garbled = change),
    get carried() {
      return carriedLast
    },
    get links() {
      return links.size
    },
    get taken() {
      return taken
    },
    async close() {
      open()
      cut()
      server.close()
    },
  }
}
