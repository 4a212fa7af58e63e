import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Lets the heap grow by so many percent of what is in use before all of it is collected: usually to twice as much. V8 itself takes up
 * to four times as much where the machine has the memory: pushes of long orders made a process grow by 415 MiB, of which 300 were garbage.
 */
export function boundHeapGrowth(percent = 100): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * Has everything made in the young generation (docs/inside/04-database.md). V8 makes objects old at once where those made at the same place lived
 * long: the lists and buffers of every request then wait for a collection of the whole heap, and what they refer to waits with them.
 */
export function makeEverythingYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** Collects all garbage now: between two parts of a command, so that the second does not begin on top of what the first left. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
