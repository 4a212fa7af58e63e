import type { Closing, ClosingInput, ClosingPage, ListClosingsQuery } from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Closings of days, months and years. `close` needs the scope `books`. */
export class Closings {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Closes the business days up to a date. The result is empty if nothing arrived for these days, or they are closed already. `after` is the number of the last closing of a day, so a repeated
   * call closes nothing twice (code `closing_exists`).
   */
  async close(input: ClosingInput, { signal }: Options = {}): Promise<Closing[]> {
    const { data } = await this.#transport.json<{ data: Closing[] }>({
      method: 'POST',
      path: '/v1/closings/',
      json: input,
      signal,
    })
    return data
  }

  /** Lists closings of a period, newest first. */
  list({ signal, ...query }: ListClosingsQuery & Options = {}): Promise<ClosingPage> {
    return this.#transport.json({ path: '/v1/closings/', query, signal })
  }

  /** Gets a closing. */
  get(period: Closing['period'], number: number, { signal }: Options = {}): Promise<Closing> {
    return this.#transport.json({ path: `/v1/closings/${period}/${number}`, signal })
  }
}
