import type { Duplex } from 'node:stream'
import { DeadlinePassed, Patience } from '../patience.ts'
import { isAskedBefore, sharing, takeGroup, type Batch, type Group, type Query } from './groups.ts'
import { AnswerOfAnother } from '../driver/answers.ts'
import type { Opener, Opening } from '../driver/client.ts'
import { isStale, newMark } from '../driver/stale-statements.ts'
import { openSocket } from './socket.ts'
import { answerKinds, firstColumn, QueryBytes, ReceivedBytes, ServerError, tagIn } from './wire.ts'

/** Some hundred documents: a page in one read, where the server is as quick. */
const incomingBytes = 256 * 1024

/** Whether the server says that it has selected: `SELECT 1`. */
const isSelect = (bytes: Buffer, start: number) => bytes[start + 5] === 0x53 && bytes[start + 6] === 0x45

function connectionLost(): Error {
  return Object.assign(new Error('the connection to the database was lost'), { code: 'CONNECTION_CLOSED' })
}

type OwnConnectionOptions = {
  pipelining: boolean
  named: boolean
  deadlineMs: number
  opening: Opening
}

/**
 * One connection of our own, for reads of stored documents: batches follow each other without waiting for answers, statements are
 * prepared once, and rows are handed on where they arrived, without an object or a copy for each. Opens on first use and again
 * after a loss; batches that were under way are rejected then.
 */
export class OwnConnection {
  readonly #opener: Opener
  readonly #opening: Opening
  readonly #pipelining: boolean
  readonly #named: boolean
  readonly #outgoing = new QueryBytes()
  readonly #incoming = new ReceivedBytes(incomingBytes)
  #socket: Duplex | null = null
  #isOpening = false
  #waiting: Batch[] = []
  /** Sent, and not answered to the end yet. */
  #sent: Group[] = []
  #load = 0
  #names = new Map<string, string>()
  #nameCount = 0
  #mark = ''
  #isFlushing = false
  #isEnded = false
  /** Of an error that belongs to no batch: the server says why it ends the connection. */
  #farewell: Error | null = null
  /** Answers come in order: with the oldest batch that is late all others are. */
  readonly #patience: Patience<Batch>
  /** Counts the attempts to open, for one that was given up must not come back. */
  #attempts = 0

  /**
   * Without `pipelining` each batch waits for the answer to the one before, for
   * poolers that need it. Without `named` each statement is parsed when it is used, for poolers that lose names. A batch
   * has so long from its asking to its answer; then the connection is given up.
   */
  constructor(opener: Opener, options: OwnConnectionOptions) {
    const { pipelining, named, deadlineMs, opening } = options
    this.#opener = opener
    this.#opening = { timeoutMs: deadlineMs, ...opening }
    this.#pipelining = pipelining
    this.#named = named
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
      if (this.#socket) this.#sendSoon()
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
    const mine = ++this.#attempts
    const isGivenUp = () => mine !== this.#attempts
    try {
      const socket = await openSocket(this.#opener, this.#opening, this.#incoming, this.#answer)
      if (isGivenUp()) return void socket.destroy()
      this.#socket = socket
      this.#isOpening = false
      socket.once('error', (error) => (this.#farewell ??= error))
      socket.once('close', () => this.#socket === socket && this.#lose())
      if (this.#isEnded || socket.destroyed) this.#lose()
      else this.#sendSoon()
    } catch (error) {
      if (isGivenUp()) return
      this.#farewell = error as Error
      this.#lose()
    }
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
      const batches = this.#pipelining ? takeGroup(this.#waiting) : this.#waiting.splice(0, 1)
      for (const batch of batches) {
        const { queries, at } = batch
        for (let next = isAskedBefore(batches, batch) ? at + 1 : at; next < queries.length; next += 1) {
          const { text, parameters } = queries[next] as Query
          const statement = this.#names.get(text) ?? this.#prepare(text)
          this.#outgoing.bind(statement, parameters)
          this.#outgoing.execute()
        }
      }
      this.#outgoing.sync()
      this.#sent.push({ batches, at: 0, error: null })
    }
    if (!this.#outgoing.isEmpty) this.#socket.write(this.#outgoing.take())
  }

  /** Without a name for poolers that lose them. */
  #prepare(text: string): string {
    const name = this.#named ? `r${++this.#nameCount}` : ''
    if (this.#named) this.#names.set(text, name)
    this.#outgoing.parse(name, text + this.#mark)
    return name
  }

  readonly #answer = (kind: number, bytes: Buffer, start: number, end: number): void => {
    const group = this.#sent[0]
    const batch = group?.batches[group.at]
    const query = batch?.queries[batch.at]
    switch (kind) {
      case answerKinds.row: {
        const column = firstColumn(bytes, start, end)
        if (!column || !group || !query) return
        if (!query.isShared) return query.row(bytes, column.from, column.to)
        for (const { queries, at } of sharing(group, query)) queries[at]?.row(bytes, column.from, column.to)
        return
      }
      case answerKinds.complete:
        if (!group || !batch || !query) return
        if (!isSelect(bytes, start)) return this.giveUp(new AnswerOfAnother(tagIn(bytes, start, end)))
        if (query.isShared) for (const one of sharing(group, query)) one.at += 1
        else batch.at += 1
        this.#goOn(group)
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
        if (!this.#pipelining && this.#waiting.length > 0) this.#sendSoon()
    }
  }

  #goOn(group: Group): void {
    let batch = group.batches[group.at]
    while (batch && batch.at === batch.queries.length) {
      this.#resolve(batch)
      group.at += 1
      batch = group.batches[group.at]
    }
  }

  /** Behind a batch that failed the server passes over all others of its group. */
  #goOnWithout(failed: Batch, { batches, at, error }: Group): void {
    if (isStale(error)) this.#mark = newMark()
    if (isStale(error) && !failed.isRepeated) {
      failed.isRepeated = true
      return this.#sendAgain(batches.slice(at))
    }
    this.#forget(failed)
    this.#sendAgain(batches.slice(at + 1))
    this.#settle(failed)
    failed.reject(error as ServerError)
  }

  /** With their statements prepared anew: that of each may have been passed over too. */
  #sendAgain(batches: readonly Batch[]): void {
    for (const batch of batches) this.#forget(batch)
    this.#waiting.unshift(...batches)
    this.#sendSoon()
  }

  #forget({ queries }: Batch): void {
    for (const { text } of queries) this.#names.delete(text)
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
    this.#attempts += 1
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
