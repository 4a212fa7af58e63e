import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { AnswerOfAnother, faultOfAnswer } from './answers.ts'
import { destroy } from './client.ts'
import type { Prepared, Row } from './sql.ts'
import { isStale, newMark } from './stale-statements.ts'

/** The connection is lost, and the result of its work in progress is unknown; `cause` says why. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code = 'CONNECTION_CLOSED'

  constructor(cause?: Error) {
    super(`the connection to the database was lost${cause ? `: ${cause.message}` : ''}`, { cause })
  }
}

/**
 * SQLSTATEs after which the connection is useless: the server ends it, or says that this session or server is not
 * writable (25006, 55000), or refuses access (42501). Another connection may work when this one does not.
 */
const lastWords = /^(57P0[1235]|25P0[34]|08...|25006|55000|42501)$/

/** Converts an error of `pg` without a code, which reports the end of its connection. */
function asLost(error: Error & { code?: string }): Error {
  return error.code === undefined ? new ConnectionLost(error) : error
}

/** `isNamed` is off for a pooler that loses names. */
export type SessionOptions = {
  isPipelined: boolean
  isNamed: boolean
  /** Called when the connection ends. */
  onEnd: (reason: Error) => void
  /** Called when prepared statements have become invalid, here and most likely on other connections. */
  onStale: () => void
}

type Named = { name: string; isProven: boolean }

type QueuedStatement = {
  statement: Prepared
  parameters: readonly unknown[]
  done: (error: Error | null, answer: Answer) => void
}

type Answer = { command: string | null; rows: Row[] }

function faultOf({ commands, isAnswer }: Prepared, { command, rows }: Answer): AnswerOfAnother | undefined {
  const fault = faultOfAnswer(commands, command)
  return fault || !isAnswer || isAnswer(rows) ? fault : new AnswerOfAnother('rows')
}

/**
 * One connection of a pool. Statements are sent at once and answered in order, or one by one if pipelining is off. Each
 * answer must match its statement; if one does not, the connection is ended, and all further answers are ignored.
 */
export class Session {
  readonly #client: Client
  readonly #options: SessionOptions
  /** Statement names by text. After a failure a statement gets a new name: a pooler may still know the old one. */
  readonly #names = new Map<string, Named>()
  #nameCount = 0
  #mark = ''
  /** Prefix of statement names, without which an undetected pooler would confuse statements of several clients. */
  readonly #prefix = `t${randomBytes(5).toString('hex')}_`
  /** Number of statements not answered yet. */
  #load = 0
  #waiting: QueuedStatement[] = []
  #end: Error | undefined

  constructor(client: Client, options: SessionOptions) {
    this.#client = client
    this.#options = options
    client.on('error', (error) => this.destroy(asLost(error)))
    client.on('end', () => this.destroy(new ConnectionLost()))
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Resolves to the rows of a statement; rejects with the error of the server or the network, or with `AnswerOfAnother`. */
  async ask(statement: Prepared, parameters: readonly unknown[]): Promise<Row[]> {
    return (await this.answer(statement, parameters)).rows
  }

  answer(statement: Prepared, parameters: readonly unknown[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end)
      const done = (error: Error | null, answer: Answer) => (error ? reject(error) : resolve(answer))
      const queued = { statement, parameters, done }
      if (this.#options.isPipelined || this.#load === 0) this.#send(queued)
      else this.#waiting.push(queued)
    })
  }

  #send({ statement, parameters, done }: QueuedStatement): void {
    this.#load += 1
    const { text } = statement
    const named = statement.named && this.#options.isNamed ? this.#nameOf(text) : undefined
    const query = {
      text,
      values: parameters as unknown[],
      ...(named ? { name: named.name, text: text + this.#mark } : {}),
    }
    this.#client.query(query, (error: (Error & { code?: string }) | null, result: Answer | Answer[]) => {
      this.#load -= 1
      // A text of several statements gets an answer for each.
      const answer = Array.isArray(result) ? (result.at(-1) as Answer) : result
      const fault = this.#end || error || Array.isArray(result) ? undefined : faultOf(statement, answer)
      if (fault) this.destroy(fault)
      else if (error) this.#look(error, text, named)
      else if (named) named.isProven = true
      done(this.#end ?? (error && asLost(error)), answer)
      const next = this.#waiting.shift()
      if (next) this.#send(next)
    })
  }

  #nameOf(text: string): Named {
    let named = this.#names.get(text)
    if (!named) this.#names.set(text, (named = { name: `${this.#prefix}${++this.#nameCount}`, isProven: false }))
    return named
  }

  #look(error: { code?: string } & Error, text: string, named: Named | undefined): void {
    // An error without a code is from `pg`: an unexpected answer, or the end of the connection.
    if (error.code === undefined || lastWords.test(error.code)) return this.destroy(asLost(error))
    if (named && !named.isProven && this.#names.get(text) === named) this.#names.delete(text)
    if (isStale(error)) this.#options.onStale()
  }

  /** Makes every statement be prepared again at its next use. */
  forgetStatements(): void {
    this.#names.clear()
    this.#mark = newMark()
  }

  /** Ends the connection at once. Work in progress and all later work is rejected with the reason. */
  destroy(reason: Error): void {
    if (this.#end) return
    this.#end = reason
    destroy(this.#client)
    for (const { done } of this.#waiting.splice(0)) done(reason, { command: null, rows: [] })
    this.#options.onEnd(reason)
  }

  /** Ends an idle connection in order. */
  async close(): Promise<void> {
    if (this.#end) return
    this.#end = new ConnectionLost()
    this.#options.onEnd(this.#end)
    await this.#client.end()
  }
}
