import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs, hourMs } from '../domain/days/time-units.ts'
import { findText, writePrivateFile } from '../embedded/files.ts'
import { withLock } from '../embedded/lock.ts'
import type { Log } from './log.ts'

export type DiskSample = { atMs: number; freeBytes: number; totalBytes: number }

export type DiskTrend = {
  /** The oldest sample used, in ISO 8601. */
  since: string
  /** The decrease of free bytes per day; negative for an increase. */
  bytesPerDay: number
  /** Whole days until pushes are refused; null if free space does not decrease. */
  daysLeft: number | null
}

const everyMs = 6 * hourMs

/** The range of the trend; older samples are deleted, which bounds their number. */
const keptMs = 14 * dayMs
const keptAtMost = keptMs / everyMs + 1

/** Minimum range of a trend: in a shorter one, a temporary backup or a busy evening would look like growth. */
const knownMs = 3 * dayMs

/** Minimum time between two compared samples: within a day they would show busy hours rather than growth. */
const apartMs = dayMs

const middleOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const [upper = 0, lower = upper] = [sorted[half], sorted[sorted.length % 2 === 0 ? half - 1 : half]]
  return (upper + lower) / 2
}

/**
 * Returns how fast the disk fills: the median of the slopes between all pairs of samples at least a day apart (Theil
 * and Sen), so that temporary files hardly count. Null before there are three days of samples.
 */
export function trendOf(samples: readonly DiskSample[], now: DiskSample, reserveBytes: number): DiskTrend | null {
  const seen = [...usable(samples, now), now]
  const [first] = seen
  if (first === undefined || now.atMs - first.atMs < knownMs) return null
  const slopes = seen.flatMap((from, at) =>
    seen
      .slice(at + 1)
      .filter((to) => to.atMs - from.atMs >= apartMs)
      .map((to) => ((from.freeBytes - to.freeBytes) * dayMs) / (to.atMs - from.atMs)),
  )
  const bytesPerDay = Math.round(middleOf(slopes))
  const left = Math.max(now.freeBytes - reserveBytes, 0)
  const daysLeft = bytesPerDay > 0 ? Math.floor(left / bytesPerDay) : null
  return { since: new Date(first.atMs).toISOString(), bytesPerDay, daysLeft }
}

/** Returns the samples of the same disk from the last two weeks, without samples from the future. */
function usable(samples: readonly DiskSample[], { atMs, totalBytes }: DiskSample): DiskSample[] {
  return samples
    .filter((one) => one.totalBytes === totalBytes && one.atMs < atMs && atMs - one.atMs <= keptMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-keptAtMost)
}

/** Resolves to the free space at this path that this account can use. */
export async function sampleDisk(path: string, now: Date): Promise<DiskSample> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { atMs: now.getTime(), freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

const fileOf = (directory: string) => join(directory, 'postgres.disk')

async function readSamples(directory: string): Promise<DiskSample[]> {
  const lines = ((await findText(fileOf(directory))) ?? '').split('\n')
  return lines.flatMap((line) => {
    const [, at = '', free, total] = /^(\S+) (\d{1,19}) (\d{1,19})$/.exec(line) ?? []
    const atMs = Date.parse(at)
    return Number.isNaN(atMs) ? [] : [{ atMs, freeBytes: Number(free), totalBytes: Number(total) }]
  })
}

/** Resolves to how full the disk of a data directory is, and how fast it fills. */
export async function readDiskTrend(
  directory: string,
  reserveBytes: number,
  now: Date,
): Promise<{ now: DiskSample; trend: DiskTrend | null }> {
  const [sample, samples] = await Promise.all([sampleDisk(directory, now), readSamples(directory)])
  return { now: sample, trend: trendOf(samples, sample, reserveBytes) }
}

/** Adds a sample unless another process did within six hours. */
export async function keepSample(directory: string, now: Date): Promise<void> {
  await withLock(join(directory, 'postgres.disk-lock'), undefined, async () => {
    const sample = await sampleDisk(directory, now)
    const before = usable(await readSamples(directory), sample)
    const last = before.at(-1)
    // A timer may fire up to a second early.
    if (last !== undefined && sample.atMs - last.atMs < everyMs - 1_000) return
    const lines = [...before, sample].map(
      (one) => `${new Date(one.atMs).toISOString()} ${one.freeBytes} ${one.totalBytes}\n`,
    )
    await writePrivateFile(fileOf(directory), lines.slice(-keptAtMost).join(''))
  })
}

/** Adds a sample of the disk now and every six hours; returns the function that stops it. */
export function keepDiskSamples(directory: string, log: Log): () => void {
  const keep = () =>
    void keepSample(directory, new Date()).catch((err: unknown) => {
      log.debug({ err }, 'the free disk space could not be recorded')
    })
  keep()
  const timer = setInterval(keep, everyMs).unref()
  return () => clearInterval(timer)
}
