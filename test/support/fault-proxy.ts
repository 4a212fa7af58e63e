import { once } from 'node:events'
import { createServer, Socket, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from '../../src/core/store/db/database.ts'
import { kinds, Messages, parseAndBind, simpleQuery, statementOf, textAt } from './postgres-messages.ts'
import { gate } from './waiting.ts'

/**
 * What happens to a COMMIT, or to a statement that writes the journal outside a transaction:
 * - `rollback`: the server rolls back and reports it, as behind a pooler that lost the statement;
 * - `silence`: the statement is executed, its answer does not arrive, and the connection remains open;
 * - `twice`: the statement is executed, and its answer arrives again where the client expects the answer to the next
 *   statement, which follows;
 * - `cut-before`: the statement does not reach the server, and the connection ends;
 * - `cut-after`: the statement is executed, and the connection ends before the answer.
 */
export type CommitFault = 'rollback' | 'silence' | 'twice' | 'cut-before' | 'cut-after'

/** A proxy between Tillgate and PostgreSQL that injects faults on demand. It does not support TLS. */
export type FaultProxy = {
  /** The same database, through the proxy. */
  connection: Connection
  /** Number of commits that clients have sent so far. */
  readonly commits: number
  /** How many of these commits are statements that write the journal without an explicit transaction. */
  readonly alone: number
  /** Number of open client connections. */
  readonly open: number
  /** Injects the fault into the next `times` COMMITs on any connection, after `after` other COMMITs. */
  failCommits(fault: CommitFault, times?: number, after?: number): void
  /** Delays all data in both directions; 0 for none. */
  slow(ms: number): void
  /** Forwards nothing in either direction from now on, and closes nothing, like a network that drops packets. */
  freeze(): void
  thaw(): void
  /** Ends all open connections immediately, without a message. */
  cut(): void
  /** `true` ends each new connection immediately, until it is called with `false`. */
  refuse(on: boolean): void
  close(): Promise<void>
}

/** What the proxy currently does with all connections. */
type Weather = {
  delayMs: number
  thawed: Promise<void>
  takeFault(): CommitFault | null
  onCommit(isAlone: boolean): void
}

function connectTo(target: Connection): Socket {
  if ('url' in target) {
    const { hostname, port } = new URL(target.url)
    return new Socket().connect(Number(port || 5432), hostname)
  }
  const { host, port } = target
  if (host.startsWith('/')) return new Socket().connect(`${host}/.s.PGSQL.${port}`)
  return new Socket().connect(port, host)
}

function through(target: Connection, port: number): Connection {
  if (!('url' in target)) return { ...target, host: '127.0.0.1', port }
  const url = new URL(target.url)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return { url: url.href }
}

/** Command tags that end a response: to a COMMIT, and to a statement that writes the journal. */
const [ofCommit, ofStatement] = [/^COMMIT$/, /^UPDATE /]

/** One client and its connection to the server. */
class Link {
  readonly #client: Socket
  readonly #server: Socket
  readonly #weather: Weather
  readonly #names = new Map<string, string>()
  /** The fault for the response to the pending COMMIT. */
  #fault: CommitFault | null = null
  /** The normal end of that response. */
  #tag = ofCommit
  #isInTransaction = false
  /** The response to the pending COMMIT, as received so far. */
  #answer: Buffer[] = []
  /** Number of ParseComplete messages to hide: those of a substituted statement, which the client did not parse. */
  #parsedToHide = 0
  #isSilent = false
  /** A response that is sent once more. */
  #repeated: Buffer | null = null

  constructor(client: Socket, server: Socket, weather: Weather) {
    this.#client = client
    this.#server = server
    this.#weather = weather
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.once('close', () => this.cut())
    }
    void this.#carryToServer().catch(() => this.cut())
    void this.#carryToClient().catch(() => this.cut())
  }

  cut(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  async #carryToServer(): Promise<void> {
    const messages = new Messages('client')
    for await (const chunk of this.#client as AsyncIterable<Buffer>) {
      await this.#pass()
      for (const message of messages.add(chunk)) {
        if (messages.isStarting) {
          // A request for encryption has a special number instead of the version. It is refused.
          if (message.readInt32BE(4) >>> 16 === 1234) this.#client.write('N')
          else {
            messages.started()
            this.#server.write(message)
          }
        } else this.#toServer(message)
      }
    }
    this.#server.end()
  }

  #toServer(message: Buffer): void {
    const tag = this.#commitTag(message)
    if (!tag) return void this.#server.write(message)
    this.#tag = tag
    this.#answer = []
    this.#weather.onCommit(tag === ofStatement)
    this.#fault = this.#weather.takeFault()
    if (this.#fault === 'cut-before') return this.cut()
    if (this.#fault !== 'rollback') return void this.#server.write(message)
    this.#fault = null
    if (message[0] === kinds.query) return void this.#server.write(simpleQuery('rollback'))
    this.#parsedToHide += 1
    this.#server.write(parseAndBind('rollback'))
  }

  /** Returns the command tag of the answer to a commit; undefined for messages that do not commit. */
  #commitTag(message: Buffer): RegExp | undefined {
    const tagOf = (text: string) => {
      if (/^commit\b/i.test(text)) return ofCommit
      return !this.#isInTransaction && /insert into journal\b/.test(text) ? ofStatement : undefined
    }
    if (message[0] === kinds.query) return tagOf(textAt(message, 5))
    if (message[0] !== kinds.parse && message[0] !== kinds.bind) return undefined
    const { name, text } = statementOf(message)
    if (message[0] === kinds.parse) this.#names.set(name, text)
    return message[0] === kinds.bind ? tagOf(this.#names.get(name) ?? '') : undefined
  }

  async #carryToClient(): Promise<void> {
    const messages = new Messages('server')
    for await (const chunk of this.#server as AsyncIterable<Buffer>) {
      await this.#pass()
      for (const message of messages.add(chunk)) this.#toClient(message)
    }
    this.#client.end()
  }

  #toClient(message: Buffer): void {
    if (message[0] === kinds.parsed && this.#parsedToHide > 0) return void (this.#parsedToHide -= 1)
    if (this.#isSilent) return
    if (message[0] === kinds.ready) this.#isInTransaction = message[5] !== 'I'.charCodeAt(0)
    const isAnswer = message[0] === kinds.complete && this.#tag.test(textAt(message, 5))
    if (message[0] === kinds.row || isAnswer || message[0] === kinds.ready) this.#answer.push(message)
    if (isAnswer && this.#fault === 'cut-after') return this.cut()
    if (isAnswer && this.#fault === 'silence') return void (this.#isSilent = true)
    if (this.#repeated) {
      // The client awaits the response to its next statement, and first gets the old response again.
      this.#client.write(this.#repeated)
      this.#repeated = null
    }
    this.#client.write(message)
    if (this.#fault !== 'twice' || message[0] !== kinds.ready) return
    this.#fault = null
    this.#repeated = Buffer.concat(this.#answer)
  }

  async #pass(): Promise<void> {
    if (this.#weather.delayMs > 0) await delay(this.#weather.delayMs)
    await this.#weather.thawed
  }
}

/** Starts a proxy on 127.0.0.1 in front of the database that `target` reaches. The caller closes it. */
export async function startFaultProxy(target: Connection): Promise<FaultProxy> {
  const links = new Set<Link>()
  const faults: (CommitFault | null)[] = []
  let [commits, alone] = [0, 0]
  let refusing = false
  let open = () => {}
  const weather: Weather = {
    delayMs: 0,
    thawed: Promise.resolve(),
    takeFault: () => faults.shift() ?? null,
    onCommit: (isAlone) => {
      commits += 1
      if (isAlone) alone += 1
    },
  }
  const server = createServer((client) => {
    if (refusing) {
      client.destroy()
      return
    }
    const link = new Link(client, connectTo(target), weather)
    links.add(link)
    client.once('close', () => links.delete(link))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const link of links) link.cut()
  }
  const thaw = () => open()
  return {
    connection: through(target, (server.address() as AddressInfo).port),
    get commits() {
      return commits
    },
    get alone() {
      return alone
    },
    get open() {
      return links.size
    },
    failCommits: (fault, times = 1, after = 0) =>
      void faults.push(...Array.from({ length: after + times }, (_, i) => (i < after ? null : fault))),
    slow: (ms) => void (weather.delayMs = ms),
    freeze: () => {
      thaw()
      const frozen = gate()
      weather.thawed = frozen.opened
      open = frozen.open
    },
    thaw,
    cut,
    refuse: (on) => void (refusing = on),
    async close() {
      thaw()
      server.close()
      cut()
      await Promise.resolve()
    },
  }
}
