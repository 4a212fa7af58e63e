import type { Fault } from '../contract/errors/errors.ts'
import type { Order } from '../contract/orders/schema.ts'
import type { Report } from '../contract/reports/schema.ts'
import { dataParts } from '../modules.ts'

declare module '../modules.ts' {
  interface ModuleData {
    /** Converts records to records of the core. */
    reader?: RecordReader
  }
}

/** The core record that a module's record is converted to. */
export type Made = { type: 'order'; data: Order } | { type: 'report'; data: Report }

/** Converts records of a module to records of the core. */
export type RecordReader = {
  /** Returns the type if the value is such a record. */
  typeOf(value: unknown): string | undefined
  /** Creates the record, or returns the faults of its shape, its spelling, and totals that do not match. */
  read(
    type: string,
    read: { text: string; value: unknown },
    where: { locationId: string; decimals: number },
  ): Made | { faults: Fault[] }
}

/** Returns the reader of the module that has one; undefined if that module is off. */
export const madeReader = (): RecordReader | undefined => dataParts().find(({ reader }) => reader)?.reader
