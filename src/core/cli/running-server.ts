import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { readConfig } from '../config.ts'
import type { About } from '../server/operations.ts'
import { usualOperationsAddress } from '../settings/operations.ts'

/** Milliseconds that a server on this machine may take to answer. */
const askMs = 2_000

export type RunningServer = About & { address: string; ready: boolean }

/** Returns the operations address of the settings, `host:port`; null if it is off. */
export function operationsAddressOf(): string | null {
  const { operationsAddress } = readConfig(['operationsAddress'], {}, process.env)
  if (operationsAddress === 'off') return null
  const { host, port } = operationsAddress ?? usualOperationsAddress
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Returns what the server at this address reports, which may belong to another installation; null if none answers. */
export async function askServer(address: string | null): Promise<RunningServer | null> {
  if (address === null) return null
  try {
    // `fetch` is not used, because loading it takes 45 ms of CPU time.
    const asked = get(`http://${address}/readyz`, { agent: false, signal: AbortSignal.timeout(askMs) })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const about = (await json(answer)) as Partial<About>
    const { installation = null, url = null, version = 'unknown', role } = about
    if (role === undefined) return null
    return { address, ready: answer.statusCode === 200, installation, url, version, role }
  } catch {
    return null
  }
}
