import type { DiskTrend } from '../../../core/server/disk-samples.ts'
import { some } from '../../../core/cli/terminal/output.ts'

export const formatSize = (bytes: number) =>
  bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`

/** Describes how fast the disk fills, and in how many days pushes will be refused. */
export function describeTrend(trend: DiskTrend | null): string {
  if (trend === null) return 'no trend yet: serve must run for three days first'
  const { since, bytesPerDay, daysLeft } = trend
  if (daysLeft === null) return `not filling since ${since.slice(0, 10)}`
  return `filling by ${formatSize(bytesPerDay)} a day since ${since.slice(0, 10)}: pushes will be refused in ${some(daysLeft, 'day')}`
}
