import type { ExportTableQuery } from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** The tables that can be downloaded. */
export type ExportedTable =
  | 'orders'
  | 'items'
  | 'payments'
  | 'taxes'
  | 'discounts'
  | 'modifiers'
  | 'tips'
  | 'reports'
  | 'report_lines'

export class Exports {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Gets a table of a month; the body is a stream. */
  table(table: ExportedTable, { signal, ...query }: ExportTableQuery & Options): Promise<Response> {
    return this.#transport.send({ path: `/v1/exports/${encodeURIComponent(table)}`, query, signal })
  }
}
