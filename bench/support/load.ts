import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const autocannon = fileURLToPath(import.meta.resolve('autocannon'))

/** `wrk` costs the machine a fraction of what a driver in Node does. */
const wrk = 'wrk'

const hasWrk = spawnSync(wrk, ['--version']).error === undefined

export const driver = hasWrk ? wrk : 'autocannon'

export type Load = { url: string; key: string; connections: number; seconds: number }

/** Requests per second that a server answers with 200; throws when it answers anything else. */
export async function requestsPerSecond(load: Load): Promise<number> {
  return hasWrk ? withWrk(load) : withAutocannon(load)
}

async function withWrk({ url, key, connections, seconds }: Load): Promise<number> {
  const args = [
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${seconds}s`,
    '--timeout',
    '10s',
    '-H',
    `x-api-key: ${key}`,
    url,
  ]
  const { stdout } = await run(wrk, args)
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk of ${url} said:\n${stdout}`)
  return Number(rate)
}

async function withAutocannon({ url, key, connections, seconds }: Load): Promise<number> {
  const args = ['--json', '-c', String(connections), '-d', String(seconds), '-H', `x-api-key=${key}`, url]
  const { stdout } = await run(process.execPath, [autocannon, ...args], { maxBuffer: 16 * 1024 * 1024 })
  const { requests, non2xx, errors } = JSON.parse(stdout) as Record<string, any>
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} answers were no 2xx, ${errors} requests failed`)
  return requests.average as number
}
