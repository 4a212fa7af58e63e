import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** wrk uses a fraction of the processor time of a load generator in Node. */
const wrk = 'wrk'

const inTurn = new URL('in-turn.lua', import.meta.url).pathname

/**
 * The `paths` of the server `url` are requested in turn. `headers` are sent in addition to the key, if there is one.
 */
export type Load = {
  url: string
  paths: readonly string[]
  key?: string
  headers?: Record<string, string>
  connections: number
  seconds: number
}

const headersOf = ({ key, headers }: Omit<Load, 'seconds'>): [string, string][] =>
  Object.entries({ ...(key !== undefined && { 'x-api-key': key }), ...headers })

/** Measures the rate of this number of responses, which are awaited; for servers with few responses per second. */
export async function answersPerSecond(load: Omit<Load, 'seconds'>, count: number): Promise<number> {
  const { url, paths, connections } = load
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const response = await fetch(url + paths[left % paths.length], { headers: headersOf(load) })
      const bytes = Buffer.from(await response.arrayBuffer())
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${bytes.toString()}`)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: Math.min(connections, count) }, lane))
  return (1000 * count) / (performance.now() - start)
}

/** Measures to how many requests per second a server responds with 200. Throws for any other response. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { url, paths, connections, seconds } = load
  const headers = headersOf(load).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const setting = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s', '-s', inTurn]
  const { stdout } = await run(wrk, [...setting, ...headers, url, '--', ...paths]).catch((error) => {
    throw error.code === 'ENOENT' ? new Error('this needs wrk (Debian: apt install wrk)') : error
  })
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk of ${url} printed:\n${stdout}`)
  return Number(rate)
}
