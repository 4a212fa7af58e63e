import { readdir, readFile } from 'node:fs/promises'

/**
 * Reads the fields that Linux reports of a process, from its state on. The name before them is in brackets and may
 * contain spaces.
 */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

async function parentOf(pid: number): Promise<number | undefined> {
  const [, parent] = await statOf(pid)
  return parent === undefined ? undefined : Number(parent)
}

/**
 * Resolves to the processor time used by a process so far in milliseconds, to the hundredth of a second; NaN if the
 * system does not report it.
 */
export async function processorMsOf(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) * 10
}

/**
 * Like `processorMsOf`, for a process and all processes that it has started, including ended ones: PostgreSQL uses a
 * process for each connection.
 */
export async function processorMsOfAll(pid: number): Promise<number> {
  const entries = await readdir('/proc').catch(() => [] as string[])
  const stats = await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map((name) => statOf(Number(name))))
  const ofRunning = stats.filter(([, parent]) => Number(parent) === pid).map((fields) => sumTicks(fields.slice(11, 13)))
  const own = await statOf(pid)
  return (sumTicks(own.slice(11, 15)) + ofRunning.reduce((sum, ticks) => sum + ticks, 0)) * 10
}

const sumTicks = (fields: readonly string[]) => fields.reduce((sum, ticks) => sum + Number(ticks), 0)

async function proportionalBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024
}

async function sumOf(pids: readonly number[]): Promise<number | undefined> {
  const sizes = await Promise.all(pids.map(proportionalBytes))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return bytes === 0 ? undefined : bytes / 1e6
}

/**
 * Resolves to the memory of processes and, unless stated otherwise, their direct children in MB (10⁶ bytes): their
 * proportional set sizes, which count shared memory once. Undefined if the system does not report it (only Linux does).
 */
export async function memoryOf(pids: readonly number[], { children = true } = {}): Promise<number | undefined> {
  if (!children) return sumOf(pids)
  const entries = await readdir('/proc').catch(() => [] as string[])
  const all = entries.filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(all.map(parentOf))
  const family = all.filter((pid, i) => pids.includes(pid) || pids.includes(parents[i] ?? 0))
  return sumOf(family)
}
