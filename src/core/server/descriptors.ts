import { open } from 'node:fs/promises'
import type { Log } from './log.ts'

const lookMs = 1_000

async function isOut(): Promise<boolean> {
  try {
    await (await open('/dev/null')).close()
    return false
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(String((error as NodeJS.ErrnoException).code))
  }
}

/**
 * Checks each second whether a file descriptor is free, and logs changes. Without a free one, connections are closed
 * before anything is read from them, and no request reports this. Returns the function that stops the checks.
 */
export function watchDescriptors(log: Log): () => void {
  let was = false
  const look = async () => {
    const is = await isOut()
    if (is === was) return
    was = is
    if (is) {
      log.error(
        'out of file descriptors: connections are closed without a response. Raise the limit (LimitNOFILE, ulimit -n)',
      )
    } else log.info('file descriptors are available again')
  }
  const timer = setInterval(() => void look(), lookMs).unref()
  return () => clearInterval(timer)
}
