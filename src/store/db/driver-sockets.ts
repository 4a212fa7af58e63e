import { once } from 'node:events'
import { connect, isIP, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Holds the options about sockets that the driver read from the URL and the environment. */
export type SocketOptions = {
  host: readonly string[]
  port: readonly number[]
  path: string | false
  ssl: boolean | string | object
  sslnegotiation: string | null
  /** Seconds. */
  connect_timeout: number
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/**
 * Counts the moments in which sockets of a pool are at their end and the driver has not been told. What is to be sent
 * waits until they are over: the driver would put it on a connection whose answers never come.
 */
export class Endings {
  #count = 0
  #held: (() => void)[] = []
  #isTelling = false

  /** The driver is receiving the end of a connection: the queries that it rejects now are lost with it. */
  get isTelling(): boolean {
    return this.#isTelling
  }

  /** Runs `send` at once, or in its order when no socket is at its end. */
  pass(send: () => void): void {
    if (this.#count === 0) send()
    else this.#held.push(send)
  }

  /** Resolves when no socket is at its end. */
  passed(): Promise<void> {
    return new Promise((resolve) => this.pass(resolve))
  }

  begin(): void {
    this.#count += 1
  }

  /**
   * Tells the driver, two turns after the socket was closed: by then it has written all that it meant to write, which it
   * would else send ahead of the greeting on its next socket. Transactions hear of it in the turn that follows.
   */
  async finish(tell: () => void): Promise<void> {
    await turn()
    await turn()
    this.#isTelling = true
    try {
      tell()
    } finally {
      this.#isTelling = false
    }
    await turn()
    this.#count -= 1
    if (this.#count > 0) return
    for (const send of this.#held.splice(0)) send()
  }
}

/**
 * Tells whoever listens to the socket of its error and of its end in one go. Between the two the driver takes queries that
 * it never answers, and whose places in its list it later fills with answers of other queries.
 */
function endInOneGo<S extends Socket>(socket: S, endings: Endings): S {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean
  let isEnding = false
  let fault: unknown
  const begin = () => {
    if (!isEnding) endings.begin()
    isEnding = true
  }
  // A `begin` that meets a socket with much to write is sent, and the driver then forgets whose the connection is
  // (decision 0090): it is never told of that.
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  socket.write = (...args: unknown[]): boolean => {
    write(...args)
    return true
  }
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'drain') return false
    if (event !== 'error' && event !== 'end' && event !== 'close') return emit(event, ...args)
    begin()
    if (event === 'error') fault ??= args[0]
    // The server says nothing more, and so hears nothing more.
    else if (event === 'end') socket.destroy()
    else {
      void endings.finish(() => {
        if (fault !== undefined) emit('error', fault)
        emit('close', fault !== undefined)
      })
    }
    return true
  }
  return socket
}

/** Translates the driver's option `ssl` into TLS options of Node. Where TLS is only preferred, the server may decline it. */
function tlsOptionsOf(ssl: boolean | string | object): object {
  if (typeof ssl === 'object') return ssl
  return ssl === 'require' || ssl === 'allow' || ssl === 'prefer' ? { rejectUnauthorized: false } : {}
}

/** Is the request for TLS of PostgreSQL's protocol; the answer is one byte, S for yes. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

async function secure(plain: Socket, host: string, { ssl, sslnegotiation }: SocketOptions): Promise<Socket> {
  await once(plain, 'connect')
  const isDirect = sslnegotiation === 'direct'
  if (!isDirect) {
    plain.write(tlsRequest)
    const [answer] = (await once(plain, 'data')) as [Buffer]
    if (answer.toString() !== 'S') {
      if (ssl === 'prefer') return plain
      throw Object.assign(new Error('the database does not speak TLS'), { code: 'ECONNREFUSED' })
    }
  }
  const names = { ...(isIP(host) ? {} : { servername: host }), ...(isDirect ? { ALPNProtocols: ['postgresql'] } : {}) }
  const socket = connectTls({ socket: plain, ...names, ...tlsOptionsOf(ssl) })
  await once(socket, 'secureConnect')
  return socket
}

/**
 * Chooses which of several places in a URL is connected to: the first one, and after a connection there has ended, or
 * was refused, the next. Whether it is the right one the driver finds out (`target_session_attrs`), and ends it if not.
 */
export class Places {
  #at = 0

  /** Returns a place, and what to call when the connection to it is closed. */
  choose({ host, port }: SocketOptions): { host: string; port: number; leave: () => void } {
    const at = this.#at
    const leave = () => {
      // Of connections that end together the first one leads on.
      if (this.#at === at) this.#at = (at + 1) % host.length
    }
    return { host: host[at] ?? '', port: port[at] ?? 0, leave }
  }
}

/** Opens the sockets of a pool. Failures are events of the socket, as the driver expects. */
export function openSocket(options: SocketOptions, endings: Endings, places: Places): Socket | Promise<Socket> {
  const { path, ssl } = options
  const { host, port, leave } = places.choose(options)
  // The driver's errors name the place.
  const plain = Object.assign(path ? connect(path) : connect(port, host), { host, port }).once('close', leave)
  if (!ssl || path) return endInOneGo(plain, endings)
  // The driver's own time begins when it has the socket.
  const late = Object.assign(new Error(`no TLS within ${options.connect_timeout} s`), { code: 'CONNECT_TIMEOUT' })
  const timer = setTimeout(() => plain.destroy(late), options.connect_timeout * 1000)
  return secure(plain, host, options)
    .catch((error: Error) => plain.destroy() && new Socket().destroy(error))
    .then((socket) => endInOneGo(socket, endings))
    .finally(() => clearTimeout(timer))
}
