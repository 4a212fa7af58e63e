import type { Socket } from 'node:net'
import { DeadlinePassed, Patience, type Waiting } from '../patience.ts'
import { openSocket, type ServerAddress } from './socket.ts'
import { answerKinds, firstColumn, ReceivedBytes, QueryBytes, ServerError } from './wire.ts'

/** Takes the first column of a row: bytes of `chunk`, which are valid only during the call. */
export type RowHandler = (chunk: Buffer, from: number, to: number) => void

/** One prepared statement with its parameters as text, and what becomes of its rows. */
export type Query = { text: string; parameters: readonly string[]; row: RowHandler }

/** Queries that go together, in one transaction. */
type Batch = {
  queries: readonly Query[]
  /** Whose rows come now. */
  at: number
  error: Error | null
  resolve: () => void
  reject: (error: Error) => void
  waiting: Waiting<Batch> | undefined
}

/** Some hundred documents: a page in one read, where the server is as quick. */
const incomingBytes = 256 * 1024

function connectionLost(): Error {
  return Object.assign(new Error('the connection to the database was lost'), { code: 'CONNECTION_CLOSED' })
}

type ReadConnectionOptions = { pipelining: boolean; named: boolean; deadlineMs: number }

/**
 * One connection for reads of stored documents: batches follow each other without waiting for answers, statements are
 * prepared once, and rows are handed on where they arrived, without an object or a copy for each. Opens on first use
 * and again after a loss; batches that were under way are rejected then.
 */
export class ReadConnection {
  readonly #targets: readonly ServerAddress[]
  readonly #pipelining: boolean
  readonly #named: boolean
  readonly #outgoing = new QueryBytes()
  readonly #incoming = new ReceivedBytes(incomingBytes)
  #socket: Socket | null = null
  #isOpening = false
  #waiting: Batch[] = []
  /** Sent, and not answered yet. */
  #sent: Batch[] = []
  #names = new Map<string, string>()
  #nameCount = 0
  #isFlushing = false
  #isEnded = false
  /** Of an error that belongs to no batch: the server says why it ends the connection. */
  #farewell: Error | null = null
  /** Answers come in order: with the oldest batch that is late all others are. */
  readonly #patience: Patience<Batch>
  /** Counts the attempts to open, for one that was given up must not come back. */
  #opening = 0

  /**
   * The first target that answers is taken. Without `pipelining` each batch waits for the answer to the one before, for
   * poolers that need it. Without `named` each statement is parsed when it is used, for poolers that lose names. A batch
   * has so long from its asking to its answer; then the connection is given up.
   */
  constructor(targets: readonly ServerAddress[], { pipelining, named, deadlineMs }: ReadConnectionOptions) {
    this.#targets = targets
    this.#pipelining = pipelining
    this.#named = named
    this.#patience = new Patience(deadlineMs, (late) => {
      late.error = new DeadlinePassed(deadlineMs)
      this.#farewell ??= late.error
      this.#lose()
    })
  }

  /** Batches not answered yet. */
  get load(): number {
    return this.#waiting.length + this.#sent.length
  }

  /** Resolves when every query is answered; rejects with what the server or the network said first. */
  query(queries: readonly Query[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(connectionLost())
      const batch: Batch = { queries, at: 0, error: null, resolve, reject, waiting: undefined }
      this.#waiting.push(batch)
      batch.waiting = this.#patience.begin(batch)
      if (this.#socket) this.#sendWaiting()
      else if (!this.#isOpening) void this.#open()
    })
  }

  /** Batches under way are rejected; wait for them first. */
  end(): void {
    this.#isEnded = true
    const socket = this.#socket
    this.#socket = null
    this.#outgoing.terminate()
    socket?.end(this.#outgoing.take())
    this.#lose()
  }

  async #open(): Promise<void> {
    this.#isOpening = true
    const mine = ++this.#opening
    const isGivenUp = () => mine !== this.#opening
    let fault: unknown
    for (const target of this.#targets) {
      try {
        const socket = await openSocket(target, this.#incoming, this.#answer)
        if (isGivenUp()) return void socket.destroy()
        this.#socket = socket
        this.#isOpening = false
        socket.once('error', (error) => (this.#farewell ??= error))
        socket.once('close', () => this.#socket === socket && this.#lose())
        if (this.#isEnded || socket.destroyed) this.#lose()
        else this.#sendWaiting()
        return
      } catch (error) {
        fault = error
        if (isGivenUp()) return
      }
    }
    this.#farewell = fault as Error
    this.#lose()
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && (this.#pipelining || this.#sent.length === 0)) {
      const batch = this.#waiting.shift() as Batch
      for (const { text, parameters } of batch.queries) {
        this.#outgoing.bind(this.#names.get(text) ?? this.#prepare(text), parameters)
        this.#outgoing.execute()
      }
      this.#outgoing.sync()
      this.#sent.push(batch)
    }
    if (this.#isFlushing || this.#outgoing.isEmpty) return
    this.#isFlushing = true
    // What requests of the same moment ask goes in one packet.
    setImmediate(() => {
      this.#isFlushing = false
      if (!this.#outgoing.isEmpty) this.#socket?.write(this.#outgoing.take())
    })
  }

  #prepare(text: string): string {
    if (!this.#named) {
      this.#outgoing.parse('', text)
      return ''
    }
    this.#nameCount += 1
    const name = `r${this.#nameCount}`
    this.#names.set(text, name)
    this.#outgoing.parse(name, text)
    return name
  }

  readonly #answer = (kind: number, bytes: Buffer, start: number, end: number): void => {
    const [batch] = this.#sent
    switch (kind) {
      case answerKinds.row: {
        const column = firstColumn(bytes, start, end)
        if (column) batch?.queries[batch.at]?.row(bytes, column.from, column.to)
        return
      }
      case answerKinds.complete:
        if (batch) batch.at += 1
        return
      case answerKinds.error: {
        const error = new ServerError(bytes, start, end)
        if (batch) batch.error ??= error
        else this.#farewell = error
        return
      }
      case answerKinds.ready:
        if (batch) this.#finish(batch)
    }
  }

  #finish(batch: Batch): void {
    this.#sent.shift()
    if (batch.waiting) this.#patience.end(batch.waiting)
    if (batch.error) {
      // The statement may be unknown to the server, or no longer what it was: the next one is prepared again.
      for (const { text } of batch.queries) this.#names.delete(text)
      batch.reject(batch.error)
    } else batch.resolve()
    if (!this.#pipelining) this.#sendWaiting()
  }

  #lose(): void {
    this.#socket?.destroy()
    this.#socket = null
    this.#opening += 1
    this.#isOpening = false
    this.#patience.clear()
    this.#names.clear()
    this.#outgoing.clear()
    this.#incoming.clear()
    const lost = [...this.#sent, ...this.#waiting]
    this.#sent = []
    this.#waiting = []
    for (const { error, reject } of lost) reject(error ?? this.#farewell ?? connectionLost())
    this.#farewell = null
  }
}
