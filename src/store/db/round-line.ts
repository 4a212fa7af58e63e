import { poolerOf, type Pool } from './database.ts'
import { OwnConnection } from './reader/connection.ts'
import { targetsOf } from './reader/reader.ts'
import type { BinaryParameters } from './reader/wire.ts'

/** The statement is planned once, and looks rows up by their keys however few there are. A pooler refuses to set this. */
const plans = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off'

/** `inThread` is for the statements of long pushes (decision 0100). */
type RoundLineOptions = { pipelining: boolean; deadlineMs: number; inThread?: boolean }

/** A connection of our own for what `writeRound` writes without a transaction around it (decision 0057). */
export class RoundLine {
  readonly #connection: OwnConnection

  constructor(pool: Pool, { pipelining, deadlineMs, inThread = false }: RoundLineOptions) {
    const targets = targetsOf(pool, pipelining, deadlineMs).map(({ config, settings }) => {
      const options = config.options === undefined ? plans : `${config.options} ${plans}`
      return { config: { ...config, options }, settings }
    })
    this.#connection = new OwnConnection(targets, { pipelining, named: true, deadlineMs, writes: true, inThread })
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
