import { poolerOf, type Pool } from './database.ts'
import { OwnConnection } from './reader/connection.ts'
import type { BinaryParameters } from './reader/wire.ts'

/** The statement is planned once, and looks rows up by their keys however few there are. A pooler refuses to set this. */
const plans = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off'

type RoundLineOptions = { pipelining: boolean; deadlineMs: number }

/** A connection of our own for what `writeRound` writes without a transaction around it (decision 0057). */
export class RoundLine {
  readonly #connection: OwnConnection

  constructor(pool: Pool, { pipelining, deadlineMs }: RoundLineOptions) {
    const own = pool.opener.way.startup['options']
    const opening = { startup: { options: own === undefined ? plans : `${own} ${plans}` } }
    this.#connection = new OwnConnection(pool.opener, { pipelining, named: true, deadlineMs, writes: true, opening })
  }

  /** Runs one statement, which commits by itself: what the server says of it, and the first column of its rows. */
  async ask(text: string, parameters: BinaryParameters): Promise<{ tag: string; rows: string[] }> {
    const answer = { tag: '', rows: [] as string[] }
    const row = (bytes: Buffer, from: number, to: number) => void answer.rows.push(bytes.toString('utf8', from, to))
    await this.#connection.query([{ text, parameters, row, done: (tag) => (answer.tag = tag) }])
    return answer
  }

  /** Its answers are out of step: what is under way is rejected, and what comes later goes over a new connection. */
  giveUp(reason: Error): void {
    this.#connection.giveUp(reason)
  }

  end(): void {
    this.#connection.end()
  }
}

/** A connection for rounds; undefined where a pooler would lose its settings. */
export function openRounds(pool: Pool, options: RoundLineOptions): RoundLine | undefined {
  return poolerOf(pool) === 'none' ? new RoundLine(pool, options) : undefined
}
