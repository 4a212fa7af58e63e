import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Report } from './report.ts'

export type Machine = { cores: number; processor: string; memoryGiB: number; node: string; loadAverage: number }

export type Results = { machine: Machine; parts: Record<string, { date: string } & Report> }

export const resultsPath = resolve(import.meta.dirname, '../results/latest.json')

/**
 * Describes the machine. `loadAverage` is that of the minute before the run; if it is above that of an idle machine,
 * something else was running.
 */
export function describeMachine(): Machine {
  const processors = cpus()
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

export async function readResults(): Promise<Results | undefined> {
  const text = await readFile(resultsPath, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Results)
}

/** Keeps the latest figures of other parts, because parts can be run one by one. */
export async function saveResults(machine: Machine, parts: Record<string, Report>): Promise<void> {
  const date = new Date().toISOString().slice(0, 10)
  const former = await readResults()
  const dated = Object.entries(parts).map(([name, report]) => [name, { date, ...report }] as const)
  const results: Results = { machine, parts: { ...former?.parts, ...Object.fromEntries(dated) } }
  await mkdir(dirname(resultsPath), { recursive: true })
  await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`)
}
