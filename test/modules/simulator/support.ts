import assert from 'node:assert/strict'
import { Compile } from 'typebox/compile'
import { documentWriter } from '../../../src/core/domain/documents/serialize.ts'
import { recordSchemas, recordTypes, type RecordType } from '../../../src/core/schemas/ingest.ts'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../src/core/contract/reports/schema.ts'
import type { Occurrence, TillRecord } from '../../../simulator/simulation.ts'

const checks = new Map(recordTypes.map((type) => [type, Compile(recordSchemas[type])]))
const writers = new Map<RecordType, (value: unknown) => string>(
  recordTypes
    .filter((type) => !type.startsWith('catalog'))
    .map((type): [RecordType, (value: unknown) => string] => [type, documentWriter(recordSchemas[type]).write]),
)

/** Checks a record against its schema, and a resource for its fields in the documented order. */
export function assertFits(record: TillRecord): void {
  const check = checks.get(record.type)
  assert.ok(check)
  if (!check.Check(record.data)) assert.fail(`${record.type}: ${JSON.stringify(check.Errors(record.data).slice(0, 3))}`)
  const write = writers.get(record.type)
  if (write) assert.equal(JSON.stringify(record.data), write(record.data))
}

export const linesOf = (occurrences: Iterable<Occurrence>): string[] =>
  [...occurrences].map(({ at, record }) => `${at.toISOString()} ${JSON.stringify(record)}`)

export type Generated = { orders: Order[]; reports: Report[] }

export function collect(records: Iterable<TillRecord>): Generated {
  const generated: Generated = { orders: [], reports: [] }
  for (const record of records) {
    if (record.type === 'order') generated.orders.push(record.data)
    if (record.type === 'report') generated.reports.push(record.data)
  }
  return generated
}

export const cents = (amount: number): number => Math.round(amount * 100)

export const sum = <T>(entries: readonly T[], of: (entry: T) => number): number =>
  entries.reduce((total, entry) => total + of(entry), 0)
