import type { Duplex } from 'node:stream'
import { DeadlinePassed, Patience } from '../patience.ts'
import { takeGroup, type Group, type Query, type ReadRequest } from './groups.ts'
import { AnswerOfAnother } from '../driver/answers.ts'
import type { Opener, Opening } from '../driver/client.ts'
import { isStale, newMark } from '../driver/stale-statements.ts'
import { openSocket, type Receiver } from './socket.ts'
import { answerKinds, firstColumn, QueryBytes, ReceivedBytes, ServerError, tagIn } from './wire.ts'

/** Initial size of the receive buffer, about a hundred documents: a page is one read, if the server is fast enough. */
const incomingBytes = 256 * 1024

/** Whether the server reports a select: `SELECT 1`. */
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
 * One connection for reads of stored documents: requests are pipelined, statements are prepared once, and rows are
 * passed on in the receive buffer, without an object or a copy for each. Opens on first use and again after a loss,
 * which rejects the requests in progress.
 */
export class OwnConnection {
  readonly #opener: Opener
  readonly #opening: Opening
  readonly #pipelining: boolean
  readonly #named: boolean
  readonly #outgoing = new QueryBytes()
  readonly #incoming = new ReceivedBytes(incomingBytes)
  readonly #receiver: Receiver
  #socket: Duplex | null = null
  #isOpening = false
  #waiting: ReadRequest[] = []
  /** Sent, and not completely answered yet. */
  #sent: Group[] = []
  #load = 0
  #names = new Map<string, string>()
  #nameCount = 0
  #mark = ''
  #isFlushing = false
  #isEnded = false
  /** An error that belongs to no request: the reason why the server ends the connection. */
  #farewell: Error | null = null
  /** Answers come in order: if the oldest request is late, all are. */
  readonly #patience: Patience<ReadRequest>
  /** Counts the attempts to open, so that an attempt that was given up is not used. */
  #attempts = 0

  /**
   * Without `pipelining` each request waits for the previous answer, for poolers that require it. Without `named` each
   * statement is parsed when it is used, for poolers that lose names. If a request is not answered within the deadline,
   * the connection is given up.
   */
  constructor(opener: Opener, options: OwnConnectionOptions) {
    const { pipelining, named, deadlineMs, opening } = options
    this.#opener = opener
    this.#opening = { timeoutMs: deadlineMs, ...opening }
    this.#pipelining = pipelining
    this.#named = named
    const broken = (error: Error) => this.giveUp(error)
    this.#receiver = { incoming: this.#incoming, answer: this.#answer, broken }
    this.#patience = new Patience(deadlineMs, () => this.giveUp(new DeadlinePassed(deadlineMs)))
  }

  /** Number of requests not answered yet. */
  get load(): number {
    return this.#load
  }

  /** Resolves when all queries are answered; rejects with the first error of the server or the network. */
  ask(queries: readonly Query[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(connectionLost())
      const request: ReadRequest = { queries, answered: 0, isRepeated: false, resolve, reject, waiting: undefined }
      this.#waiting.push(request)
      this.#load += 1
      request.waiting = this.#patience.begin(request)
      if (this.#socket) this.#sendSoon()
      else if (!this.#isOpening) void this.#open()
    })
  }

  /** Rejects requests in progress with the reason; later ones use a new connection. */
  giveUp(reason: Error): void {
    this.#farewell ??= reason
    this.#lose()
  }

  /** Ends the connection and rejects requests in progress; wait for them first. */
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
      const socket = await openSocket(this.#opener, this.#opening, this.#receiver)
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

  /** Requests of the same moment share one packet. */
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
      const group = takeGroup(this.#waiting)
      for (const { query } of group.steps) {
        const statement = this.#names.get(query.text) ?? this.#prepare(query.text)
        this.#outgoing.bind(statement, query.parameters)
        this.#outgoing.execute()
      }
      this.#outgoing.sync()
      this.#sent.push(group)
    }
    if (!this.#outgoing.isEmpty) this.#socket.write(this.#outgoing.take())
  }

  /** Prepares a statement and returns its name; no name for poolers that lose names. */
  #prepare(text: string): string {
    const name = this.#named ? `r${++this.#nameCount}` : ''
    if (this.#named) this.#names.set(text, name)
    this.#outgoing.parse(name, text + this.#mark)
    return name
  }

  readonly #answer = (kind: number, bytes: Buffer, start: number, end: number): void => {
    const group = this.#sent[0]
    const step = group?.steps[group.at]
    switch (kind) {
      case answerKinds.row: {
        const column = firstColumn(bytes, start, end)
        if (!column || !step) return
        for (const { queries, answered } of step.requests) queries[answered]?.row(bytes, column.from, column.to)
        return
      }
      case answerKinds.complete:
        if (!group || !step || !isSelect(bytes, start)) throw new AnswerOfAnother(tagIn(bytes, start, end))
        group.at += 1
        for (const request of step.requests) if (++request.answered === request.queries.length) this.#resolve(request)
        return
      case answerKinds.error: {
        const error = new ServerError(bytes, start, end)
        if (group) group.error ??= error
        else this.#farewell = error
        return
      }
      case answerKinds.ready:
        if (step && !group?.error) throw new AnswerOfAnother('')
        this.#sent.shift()
        if (group?.error) this.#goOnWithout(group, group.error)
        if (!this.#pipelining && this.#waiting.length > 0) this.#sendSoon()
    }
  }

  /** Rejects or repeats the requests of the failed step, and repeats the later steps, which the server skipped. */
  #goOnWithout({ steps, at }: Group, error: ServerError): void {
    const unanswered = steps.slice(at)
    const [failed] = unanswered
    // Skipped statements were not prepared either.
    for (const { query } of unanswered) this.#names.delete(query.text)
    if (isStale(error)) this.#mark = newMark()
    const again = new Set(unanswered.flatMap(({ requests }) => requests))
    for (const request of failed?.requests ?? []) {
      if (isStale(error) && !request.isRepeated) request.isRepeated = true
      else {
        again.delete(request)
        this.#settle(request)
        request.reject(error)
      }
    }
    if (again.size === 0) return
    this.#waiting.unshift(...again)
    this.#sendSoon()
  }

  #resolve(request: ReadRequest): void {
    this.#settle(request)
    request.resolve()
  }

  #settle({ waiting }: ReadRequest): void {
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
    const [sent, waiting] = [this.#sent, this.#waiting]
    this.#sent = []
    this.#waiting = []
    this.#load = 0
    this.#farewell = null
    for (const { steps, at, error } of sent) {
      for (const { reject } of steps[at]?.requests ?? []) reject(error ?? cause)
      for (const { requests } of steps.slice(at + 1)) for (const { reject } of requests) reject(cause)
    }
    for (const { reject } of waiting) reject(cause)
  }
}
