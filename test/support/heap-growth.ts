// Loaded before a program. Told by SIGUSR2, it keeps 100 MiB in use, replaces all of them thirty times, and writes how many MiB its heap had at most.
import { getHeapStatistics } from 'node:v8'

const mib = 1024 * 1024

process.on('SIGUSR2', () => {
  const mebibyte = Array.from({ length: mib / 8 }, (_, n) => n + 0.5)
  const used = Array.from({ length: 100 }, () => mebibyte.slice())
  let most = 0
  for (let n = 0; n < 3_000; n++) {
    used[n % used.length] = mebibyte.slice()
    most = Math.max(most, getHeapStatistics().used_heap_size)
  }
  process.stderr.write(`heap: ${Math.round(most / mib)}\n`)
})
