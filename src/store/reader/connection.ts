import type { Socket } from 'node:net'
import { DeadlinePassed, Patience, type Waiting } from '../patience.ts'
import { openSocket, type ServerAddress } from './socket.ts'
import {
  answerKinds,
  firstColumn,
  QueryBytes,
  ReceivedBytes,
  ServerError,
  tagIn,
  type BinaryParameters,
} from './wire.ts'

/** Takes the first column of a row: bytes of `chunk`, which are valid only during the call. */
export type RowHandler = (chunk: Buffer, from: number, to: number) => void

/** One prepared statement with its parameters, and what becomes of its rows. `done` is told what the server says of it. */
export type Query = {
  text: string
  parameters: readonly string[] | BinaryParameters
  row: RowHandler
  done?: (tag: string) => void
}

/** Queries that somebody asks together. */
type Batch = {
  queries: readonly Query[]
  /** Whose rows come now; those before it are answered. */
  at: number
  /** That a statement of it was unknown to the server, whose preparation was passed over. */
  isRepeated: boolean
  resolve: () => void
  reject: (error: Error) => void
  waiting: Waiting<Batch> | undefined
}

/** Batches that the server carries out in one transaction, and the place of the one whose answer comes now. */
type Group = { batches: readonly Batch[]; at: number; error: ServerError | null }

/**
 * Batches of the same moment that share a transaction: to begin one, to end it and to send its answer costs the server more than
 * to look a document up. No more of them, for the server sends short answers when it has the last.
 */
const groupSize = 8

/** Some hundred documents: a page in one read, where the server is as quick. */
const incomingBytes = 256 * 1024

/** SQLSTATE of a statement that was never prepared on this connection. */
const unknownStatement = '26000'

function connectionLost(): Error {
  return Object.assign(new Error('the connection to the database was lost'), { code: 'CONNECTION_CLOSED' })
}

type OwnConnectionOptions = { pipelining: boolean; named: boolean; deadlineMs: number; writes?: boolean }

/**
 * One connection of our own, for reads of stored documents or for writes: batches follow each other without waiting for answers,
 * statements are prepared once, and rows are handed on where they arrived, without an object or a copy for each. Opens on first
 * use and again after a loss; batches that were under way are rejected then.
 */
export class OwnConnection {
  readonly #targets: readonly ServerAddress[]
  readonly #pipelining: boolean
  readonly #named: boolean
  readonly #writes: boolean
  readonly #outgoing = new QueryBytes()
  readonly #incoming = new ReceivedBytes(incomingBytes)
  #socket: Socket | null = null
  #isOpening = false
  #waiting: Batch[] = []
  /** Sent, and not answered to the end yet. */
  #sent: Group[] = []
  #load = 0
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
   * has so long from its asking to its answer; then the connection is given up. What `writes` shares no transaction, and is answered
   * when it is committed.
   */
  constructor(targets: readonly ServerAddress[], { pipelining, named, deadlineMs, writes }: OwnConnectionOptions) {
    this.#targets = targets
    this.#pipelining = pipelining
    this.#named = named
    this.#writes = writes ?? false
    this.#patience = new Patience(deadlineMs, () => this.giveUp(new DeadlinePassed(deadlineMs)))
  }

  /** Batches not answered yet. */
  get load(): number {
    return this.#load
  }

  /** Resolves when every query is answered; rejects with what the server or the network said first. */
  query(queries: readonly Query[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(connectionLost())
      if (queries.length === 0) return resolve()
      const batch: Batch = { queries, at: 0, isRepeated: false, resolve, reject, waiting: undefined }
      this.#waiting.push(batch)
      this.#load += 1
      batch.waiting = this.#patience.begin(batch)
      // What is written is sent by itself, and nothing else is gathered for it.
      if (this.#socket && this.#writes) this.#send()
      else if (this.#socket) this.#sendSoon()
      else if (!this.#isOpening) void this.#open()
    })
  }

  /** Batches under way are rejected with the reason; what is asked later goes over a new connection. */
  giveUp(reason: Error): void {
    this.#farewell ??= reason
    this.#lose()
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
        else this.#sendSoon()
        return
      } catch (error) {
        fault = error
        if (isGivenUp()) return
      }
    }
    this.#farewell = fault as Error
    this.#lose()
  }

  /** What requests of the same moment ask goes in one packet. */
  #sendSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      this.#send()
    })
  }

  #send(): void {
    if (!this.#socket) return
    while (this.#waiting.length > 0 && (this.#pipelining || this.#sent.length === 0)) {
      const batches = this.#takeGroup()
      for (const { queries, at } of batches) {
        for (const { text, parameters } of queries.slice(at)) {
          this.#outgoing.bind(this.#names.get(text) ?? this.#prepare(text), parameters)
          this.#outgoing.execute()
        }
      }
      this.#outgoing.sync()
      this.#sent.push({ batches, at: 0, error: null })
    }
    if (!this.#outgoing.isEmpty) this.#socket.write(this.#outgoing.take())
  }

  /** The oldest, with those behind it that ask the same of other documents: what takes longer would hold up their answers. */
  #takeGroup(): Batch[] {
    const textOf = (batch: Batch | undefined) => batch?.queries[0]?.text
    const most = this.#pipelining && !this.#writes ? Math.min(groupSize, this.#waiting.length) : 1
    let count = 1
    while (count < most && textOf(this.#waiting[count]) === textOf(this.#waiting[0])) count += 1
    return this.#waiting.splice(0, count)
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
    const [group] = this.#sent
    const batch = group?.batches[group.at]
    switch (kind) {
      case answerKinds.row: {
        const column = firstColumn(bytes, start, end)
        if (column) batch?.queries[batch.at]?.row(bytes, column.from, column.to)
        return
      }
      case answerKinds.complete:
        if (!group || !batch) return
        batch.queries[batch.at]?.done?.(tagIn(bytes, start, end))
        batch.at += 1
        // Before the server is ready it has not committed.
        if (batch.at < batch.queries.length || this.#writes) return
        group.at += 1
        this.#resolve(batch)
        return
      case answerKinds.error: {
        const error = new ServerError(bytes, start, end)
        if (group && batch) group.error ??= error
        else this.#farewell = error
        return
      }
      case answerKinds.ready:
        this.#sent.shift()
        if (group?.error && batch) this.#goOnWithout(batch, group)
        else if (this.#writes && batch) this.#resolve(batch)
        if (!this.#pipelining && this.#waiting.length > 0) this.#sendSoon()
    }
  }

  /** Behind a batch that failed the server passes over all others of its group. */
  #goOnWithout(failed: Batch, { batches, at, error }: Group): void {
    if (error?.code === unknownStatement && !failed.isRepeated) {
      failed.isRepeated = true
      return this.#sendAgain(batches.slice(at))
    }
    // A statement may be no longer what it was: the next time it is prepared again.
    for (const { text } of failed.queries) this.#names.delete(text)
    this.#sendAgain(batches.slice(at + 1))
    this.#settle(failed)
    failed.reject(error as ServerError)
  }

  /** With their statements prepared anew: that of each may have been passed over too. */
  #sendAgain(batches: readonly Batch[]): void {
    for (const { text } of batches.flatMap(({ queries }) => queries)) this.#names.delete(text)
    this.#waiting.unshift(...batches)
    this.#sendSoon()
  }

  #resolve(batch: Batch): void {
    this.#settle(batch)
    batch.resolve()
  }

  #settle({ waiting }: Batch): void {
    this.#load -= 1
    if (waiting) this.#patience.end(waiting)
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
    const cause = this.#farewell ?? connectionLost()
    for (const group of this.#sent) if (group.error) group.batches[group.at++]?.reject(group.error)
    const lost = [...this.#sent.flatMap(({ batches, at }) => batches.slice(at)), ...this.#waiting]
    this.#sent = []
    this.#waiting = []
    this.#load = 0
    this.#farewell = null
    for (const { reject } of lost) reject(cause)
  }
}
