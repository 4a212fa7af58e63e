import { readdir, readFile } from 'node:fs/promises'

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name stands in brackets and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[1] === undefined ? undefined : Number(fields[1])
}

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
 * Memory of processes and, unless told otherwise, their direct children in MB (10⁶ bytes): their proportional set sizes, which count what they
 * share once. Undefined where the system does not tell (it is Linux that does).
 */
export async function memoryOf(pids: readonly number[], { children = true } = {}): Promise<number | undefined> {
  if (!children) return sumOf(pids)
  const entries = await readdir('/proc').catch(() => [] as string[])
  const all = entries.filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(all.map(parentOf))
  const family = all.filter((pid, i) => pids.includes(pid) || pids.includes(parents[i] ?? 0))
  return sumOf(family)
}
