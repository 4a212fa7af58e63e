// Loaded before a program. On SIGUSR2, reports how the garbage collector of the process behaves
// (`test/programs/cli/heap.test.ts`).
import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

const mib = 1024 * 1024

/** MiB of live data. The heap shrinks by this much when all of it is collected. */
const kept = 100

/**
 * Keeps `kept` arrays in use and replaces all of them twenty times. Returns the smallest heap, in MiB, at which a
 * collection began: on a busy machine, a heap sometimes grows while threads mark it.
 */
function leastPeak(): number {
  const mebibyte = Array.from({ length: mib / 8 }, (_, n) => n + 0.5)
  const used = Array.from({ length: kept }, () => mebibyte.slice())
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let n = 0; n < 20 * kept; n++) {
    used[n % used.length] = mebibyte.slice()
    const now = getHeapStatistics().used_heap_size / mib
    most = Math.max(most, now)
    if (now > most - kept) continue
    // The first collections happen while the heap is still small.
    if (n > 10 * kept) least = Math.min(least, most)
    most = now
  }
  return Math.round(least)
}

const make = (n: number) => [n, n + 1, n + 2, n + 3]

let all: number[][] = []
let last: number[] = []

/**
 * Returns in how many of a hundred rounds short-lived lists were promoted immediately, after lists of the same code had
 * lived long.
 */
async function roundsMadeOld(): Promise<number> {
  for (let round = 0; round < 6; round++) {
    for (let n = 0; n < 200_000; n++) all.push(make(n))
    // V8 decides at a collection with many live lists.
    if (round > 2) all = []
    await setImmediate()
  }
  const oldBytes = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0
  let rounds = 0
  for (let round = 0; round < 100; round++) {
    const before = oldBytes()
    for (let n = 0; n < 10_000; n++) last = make(n)
    // A list of four elements has 32 bytes. A collection of the young generation can promote lists of an earlier round.
    if (oldBytes() - before > 10_000 * last.length * 8) rounds += 1
  }
  return rounds
}

process.on('SIGUSR2', async () => {
  process.stderr.write(`heap: ${leastPeak()}\n`)
  process.stderr.write(`old: ${await roundsMadeOld()}\n`)
})
