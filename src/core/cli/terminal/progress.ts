import cliProgress from 'cli-progress'

export type Progress = { update(done: number, records: number): void; stop(): void }

/** Shows a progress bar on stderr, if it is a terminal. `total` is null if unknown: only records are counted. */
export function showProgress(total: number | null): Progress {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} }
  const format = total === null ? '{records} records' : '{bar} {percentage}%  {records} records  {eta_formatted} left'
  const bar = new cliProgress.SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true, etaBuffer: 50 },
    cliProgress.Presets.shades_classic,
  )
  bar.start(total ?? 1, 0, { records: 0 })
  return {
    update: (done, records) => bar.update(total === null ? 0 : Math.min(done, total), { records }),
    stop: () => bar.stop(),
  }
}
