import type { Fault } from '../contract/errors/errors.ts'
import type { Order } from '../contract/orders/schema.ts'
import type { Report } from '../contract/reports/schema.ts'
import { dataParts } from '../modules.ts'

declare module '../modules.ts' {
  interface ModuleData {
    /** Reads records that become one of the core. */
    reader?: RecordReader
  }
}

/** The record of the core that a record of a module becomes. */
export type Made = { type: 'order'; data: Order } | { type: 'report'; data: Report }

/** Makes records of the core from those of a module. */
export type RecordReader = {
  /** Returns the type of a value that is such a record. */
  typeOf(value: unknown): string | undefined
  /** Creates the record, or returns faults of its shape, its spelling, and of totals that it contradicts. */
  read(
    type: string,
    read: { text: string; value: unknown },
    where: { locationId: string; decimals: number },
  ): Made | { faults: Fault[] }
}

/** The reader of the module that has one; undefined where that module is off. */
export const madeReader = (): RecordReader | undefined => dataParts().find(({ reader }) => reader)?.reader
