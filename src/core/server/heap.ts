import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Lets the heap grow by this percentage of what is in use before a full collection: by default to twice as much. V8 itself allows up to
 * four times as much if the machine has the memory: pushes of long orders made a process grow by 415 MiB, 300 of them garbage.
 */
export function boundHeapGrowth(percent = 100): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * Makes V8 allocate everything in the young generation (docs/inside/04-database.md). By default, code whose earlier
 * objects lived long allocates in the old generation, where only a full collection frees the memory of a request.
 */
export function makeEverythingYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** Collects all garbage now: between two parts of a command, so that the second does not start with the garbage of the first. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
