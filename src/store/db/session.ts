import type { Client } from 'pg'
import { faultOfAnswer } from './answers.ts'
import { destroy } from './client.ts'
import type { Prepared, Row } from './sql.ts'

/** The connection is gone, and nobody knows what became of what was under way; `cause` says why. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code = 'CONNECTION_CLOSED'

  constructor(cause?: Error) {
    super(`the connection to the database was lost${cause ? `: ${cause.message}` : ''}`, { cause })
  }
}

/** SQLSTATEs behind which the server ends the connection. */
const lastWords = /^(57P0[1235]|25P0[34]|08...)$/

/** An error of `pg` without a code tells of the end of its connection. */
function asLost(error: Error & { code?: unknown }): Error {
  return error.code === undefined ? new ConnectionLost(error) : error
}

type Asked = {
  statement: Prepared
  parameters: readonly unknown[]
  done: (error: Error | null, answer: Answer) => void
}

type Answer = { command: string | null; rows: Row[] }

/**
 * One connection of a pool. Statements are sent at once and answered in their order, or one by one where nothing may be
 * pipelined. Each answer must be one to its statement: when it is not, the connection is ended, and no answer counts any more.
 */
export class Session {
  readonly #client: Client
  readonly #isPipelined: boolean
  readonly #onEnd: (reason: Error) => void
  /** Sent, and not answered. */
  #load = 0
  #waiting: Asked[] = []
  #end: Error | undefined

  constructor(client: Client, isPipelined: boolean, onEnd: (reason: Error) => void) {
    this.#client = client
    this.#isPipelined = isPipelined
    this.#onEnd = onEnd
    client.on('error', (error) => this.destroy(asLost(error)))
    client.on('end', () => this.destroy(new ConnectionLost()))
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Resolves to the rows of a statement; rejects with what the server or the network said, or with `AnswerOfAnother`. */
  async ask(statement: Prepared, parameters: readonly unknown[]): Promise<Row[]> {
    return (await this.answer(statement, parameters)).rows
  }

  answer(statement: Prepared, parameters: readonly unknown[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end)
      const done = (error: Error | null, answer: Answer) => (error ? reject(error) : resolve(answer))
      const asked = { statement, parameters, done }
      if (this.#isPipelined || this.#load === 0) this.#send(asked)
      else this.#waiting.push(asked)
    })
  }

  #send({ statement: { text, name, commands }, parameters, done }: Asked): void {
    this.#load += 1
    const query = { text, ...(name === undefined ? {} : { name }), values: parameters as unknown[] }
    this.#client.query(query, (error: (Error & { code?: unknown }) | null, result: Answer | Answer[]) => {
      this.#load -= 1
      // Several statements without parameters have an answer each.
      const answer = Array.isArray(result) ? (result.at(-1) as Answer) : result
      const fault = this.#end || error || Array.isArray(result) ? undefined : faultOfAnswer(commands, answer.command)
      if (fault) this.destroy(fault)
      else if (error && lastWords.test(String(error.code))) this.destroy(error)
      done(this.#end ?? (error && asLost(error)), answer)
      const next = this.#waiting.shift()
      if (next) this.#send(next)
    })
  }

  /** Ends the connection at once. What is under way is rejected with the reason, as is all that comes later. */
  destroy(reason: Error): void {
    if (this.#end) return
    this.#end = reason
    destroy(this.#client)
    for (const { done } of this.#waiting.splice(0)) done(reason, { command: null, rows: [] })
    this.#onEnd(reason)
  }

  /** Ends the connection in order: nothing is under way. */
  async close(): Promise<void> {
    if (this.#end) return
    this.#end = new ConnectionLost()
    this.#onEnd(this.#end)
    await this.#client.end()
  }
}
