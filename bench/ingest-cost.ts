import type { EmbeddedServer } from './support/embedded.ts'
import { median } from './support/figures.ts'
import { processorMsOf, processorMsOfAll } from './support/memory.ts'
import type { Figure } from './support/report.ts'
import type { Server } from './support/server.ts'

/** `prepare` makes the orders, which is not measured, and resolves to the function that stores them. */
export type Contest = { row: string; orders: number; prepare: () => Promise<() => Promise<unknown>> }

type Cost = { ours: number; database: number; sender: number }

/**
 * Measures processor time per order and process, in microseconds, by contestant: medians of alternating rounds, after
 * one warm-up round. Other work on the machine affects it less than a rate. On a fully used machine, the sum of these
 * times limits the rate.
 */
export async function measureCost(
  server: Server,
  embedded: EmbeddedServer,
  contests: readonly Contest[],
  rounds: number,
): Promise<Figure[]> {
  const used = async (): Promise<Cost> => {
    const { user, system } = process.cpuUsage()
    const [ours, database] = await Promise.all([processorMsOf(server.pid), processorMsOfAll(embedded.pid)])
    return { ours: 1000 * ours, database: 1000 * database, sender: user + system }
  }
  const costs = new Map<string, Cost[]>()
  for (let round = -1; round < rounds; round++) {
    for (const { row, orders, prepare } of contests) {
      const work = await prepare()
      const before = await used()
      await work()
      const after = await used()
      if (round < 0) continue
      const of = (key: keyof Cost) => (after[key] - before[key]) / orders
      costs.set(row, [...(costs.get(row) ?? []), { ours: of('ours'), database: of('database'), sender: of('sender') }])
    }
  }
  return [...costs].flatMap(([row, all]) => {
    const of = (key: keyof Cost) => median(all.map((cost) => cost[key]))
    return [
      { row: `processor time of an order, ${row}`, column: 'ours', value: of('ours'), unit: 'µs' },
      { row: `processor time of an order, ${row}`, column: 'PostgreSQL', value: of('database'), unit: 'µs' },
      { row: `processor time of an order, ${row}`, column: 'sender', value: of('sender'), unit: 'µs' },
    ] as const
  })
}
