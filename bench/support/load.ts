import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const autocannon = fileURLToPath(import.meta.resolve('autocannon'))

/** `wrk` costs the machine a fraction of what a driver in Node does. */
const wrk = 'wrk'

const hasWrk = spawnSync(wrk, ['--version']).error === undefined

export const driver = hasWrk ? wrk : 'autocannon'

/** `headers` are sent beside the key, where there is one. */
export type Load = {
  url: string
  key?: string
  headers?: Record<string, string>
  connections: number
  seconds: number
}

const headersOf = ({ key, headers }: Omit<Load, 'seconds'>): [string, string][] =>
  Object.entries({ ...(key !== undefined && { 'x-api-key': key }), ...headers })

/** How fast a server gives a number of answers, all of which are waited for; for servers that give few in a second. */
export async function answersPerSecond(load: Omit<Load, 'seconds'>, count: number): Promise<number> {
  const { url, connections } = load
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const response = await fetch(url, { headers: headersOf(load) })
      const bytes = Buffer.from(await response.arrayBuffer())
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${bytes.toString()}`)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: Math.min(connections, count) }, lane))
  return (1000 * count) / (performance.now() - start)
}

/** Requests per second that a server answers with 200; throws when it answers anything else. */
export async function requestsPerSecond(load: Load): Promise<number> {
  return hasWrk ? withWrk(load) : withAutocannon(load)
}

async function withWrk(load: Load): Promise<number> {
  const { url, connections, seconds } = load
  const args = [
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${seconds}s`,
    '--timeout',
    '10s',
    ...headersOf(load).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    url,
  ]
  const { stdout } = await run(wrk, args)
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk of ${url} said:\n${stdout}`)
  return Number(rate)
}

async function withAutocannon(load: Load): Promise<number> {
  const { url, connections, seconds } = load
  const headers = headersOf(load).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const args = ['--json', '-c', String(connections), '-d', String(seconds), ...headers, url]
  const { stdout } = await run(process.execPath, [autocannon, ...args], { maxBuffer: 16 * 1024 * 1024 })
  const { requests, non2xx, errors } = JSON.parse(stdout) as Record<string, any>
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} answers were no 2xx, ${errors} requests failed`)
  return requests.average as number
}
