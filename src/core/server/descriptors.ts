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
 * Checks each second whether a file descriptor is free. Without one, connections are closed before anything of them is
 * read, and no request shows it; the beginning and the end of this are logged. Returns the function that stops it.
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
