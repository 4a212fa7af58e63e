import { setTimeout as delay } from 'node:timers/promises'
import { answer, startChild } from './child.ts'

export type Watched = { url: string; headers: Record<string, string> }

export type Watcher = {
  begin(watched: readonly Watched[]): Promise<void>
  /** How long each response took in ms, in the order of the watched paths. */
  end(): Promise<number[][]>
  stop(): Promise<void>
}

/** Starts another client, in a separate process, so that its response times do not include the attacker's own work. */
export function startWatcher(): Watcher {
  const child = startChild(import.meta.filename)
  return { begin: (watched) => child.ask('begin', watched), end: () => child.ask('end'), stop: () => child.stop() }
}

/** Requests one path repeatedly. The time of a failed request counts too: an attack must not hide behind refusals. */
async function watch({ url, headers }: Watched, until: AbortSignal): Promise<number[]> {
  const took: number[] = []
  while (!until.aborted) {
    const began = performance.now()
    await fetch(url, { headers })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined)
    took.push(performance.now() - began)
    await delay(10)
  }
  return took
}

function serve(): void {
  let ending = new AbortController()
  let watching: Promise<number[]>[] = []
  answer({
    begin: (watched: Watched[]) => {
      ending = new AbortController()
      watching = watched.map((one) => watch(one, ending.signal))
    },
    end: () => {
      ending.abort()
      return Promise.all(watching)
    },
  })
}

if (import.meta.main) serve()
