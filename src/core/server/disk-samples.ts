import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs, hourMs } from '../domain/days/time-units.ts'
import { findText, writePrivateFile } from '../embedded/files.ts'
import { withLock } from '../embedded/lock.ts'
import type { Log } from './log.ts'

export type DiskSample = { atMs: number; freeBytes: number; totalBytes: number }

export type DiskTrend = {
  /** The oldest moment that it is told from, in ISO 8601. */
  since: string
  /** How much less is free each day; below zero where it is more. */
  bytesPerDay: number
  /** Whole days until pushes are refused; null where no less is free from day to day. */
  daysLeft: number | null
}

const everyMs = 6 * hourMs

/** So far back the trend looks; older samples are forgotten, so that there are at most so many. */
const keptMs = 14 * dayMs
const keptAtMost = keptMs / everyMs + 1

/** Nothing is told of fewer days: a backup that is made and removed, or one busy evening, would be taken for growth. */
const knownMs = 3 * dayMs

/** Neighbours of one day tell of its hours and not of growth. */
const apartMs = dayMs

const middleOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const [upper = 0, lower = upper] = [sorted[half], sorted[sorted.length % 2 === 0 ? half - 1 : half]]
  return (upper + lower) / 2
}

/**
 * Returns how fast the disk fills: the median of the slopes between all pairs of samples that are a day or more apart (Theil and
 * Sen), so that files that came or went once count little. Null as long as less than three days were seen.
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

/** Those of the same disk, of the last two weeks and of no moment to come. */
function usable(samples: readonly DiskSample[], { atMs, totalBytes }: DiskSample): DiskSample[] {
  return samples
    .filter((one) => one.totalBytes === totalBytes && one.atMs < atMs && atMs - one.atMs <= keptMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-keptAtMost)
}

/** Resolves to how much is free for us where the path is. */
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
    // A second early, because timers are.
    if (last !== undefined && sample.atMs - last.atMs < everyMs - 1_000) return
    const lines = [...before, sample].map(
      (one) => `${new Date(one.atMs).toISOString()} ${one.freeBytes} ${one.totalBytes}\n`,
    )
    await writePrivateFile(fileOf(directory), lines.slice(-keptAtMost).join(''))
  })
}

/** Keeps a sample of the disk now and every six hours; returns what ends it. */
export function keepDiskSamples(directory: string, log: Log): () => void {
  const keep = () =>
    void keepSample(directory, new Date()).catch((err: unknown) => {
      log.debug({ err }, 'the free disk space could not be recorded')
    })
  keep()
  const timer = setInterval(keep, everyMs).unref()
  return () => clearInterval(timer)
}
