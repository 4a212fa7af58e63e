// Loaded before a program. Told by SIGUSR2, it keeps 100 MiB in use, replaces all of them forty times, and writes at how many MiB at
// least its heap was collected. On a busy machine a heap goes on growing while threads mark it, but not each time.
import { getHeapStatistics } from 'node:v8'

const mib = 1024 * 1024

/** What is kept, and by how much the heap becomes smaller when all of it is collected. */
const kept = 100

process.on('SIGUSR2', () => {
  const mebibyte = Array.from({ length: mib / 8 }, (_, n) => n + 0.5)
  const used = Array.from({ length: kept }, () => mebibyte.slice())
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let n = 0; n < 40 * kept; n++) {
    used[n % used.length] = mebibyte.slice()
    const now = getHeapStatistics().used_heap_size / mib
    most = Math.max(most, now)
    if (now > most - kept) continue
    // The first collections are of a heap that is still small.
    if (n > 10 * kept) least = Math.min(least, most)
    most = now
  }
  process.stderr.write(`heap: ${Math.round(least)}\n`)
})
