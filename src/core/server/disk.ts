import type { DiskState } from '../http/context.ts'
import { readDiskTrend, sampleDisk } from './disk-samples.ts'
import type { Log } from './log.ts'

const lookMs = 1_000

/** Pushes are accepted again above the reserve times this factor, so that the state does not change with every push. */
const back = 1.1

/** Pushes are refused while less than `reserveBytes` are free at `path`. */
export type DiskRule = { path: string; reserveBytes: number }

export type Disk = {
  isLow(): boolean
  read(): Promise<DiskState | null>
  close(): void
}

/** Resolves to the free bytes at this path that this account can use. */
export const freeBytes = async (path: string) => (await sampleDisk(path, new Date())).freeBytes

/** Resolves to how full the disk is and how fast it fills; null if it cannot be read. */
async function readDisk({ path, reserveBytes }: DiskRule): Promise<DiskState | null> {
  try {
    const { now, trend } = await readDiskTrend(path, reserveBytes, new Date())
    return { freeBytes: now.freeBytes, totalBytes: now.totalBytes, reserveBytes, trend }
  } catch {
    return null
  }
}

const inMebibytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`

/** Checks each second the free space of the embedded database's disk, and logs changes of the state. */
export async function watchDisk({ path, reserveBytes }: DiskRule, log: Log): Promise<Disk> {
  let isLow = false
  const look = async () => {
    const free = await freeBytes(path)
    const was = isLow
    isLow = free < reserveBytes * (was ? back : 1)
    if (isLow === was) return
    const words = `${inMebibytes(free)} free in ${path}`
    if (isLow)
      log.error(`pushes are refused because the disk is almost full: ${words}, reserve ${inMebibytes(reserveBytes)}`)
    else log.info(`pushes are accepted again: ${words}`)
  }
  const unknown = (err: unknown) => log.debug({ err }, 'the free disk space cannot be read')
  await look().catch(unknown)
  const timer = setInterval(() => void look().catch(unknown), lookMs).unref()
  return { isLow: () => isLow, read: () => readDisk({ path, reserveBytes }), close: () => clearInterval(timer) }
}
