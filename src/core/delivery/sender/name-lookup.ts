import { Resolver } from 'node:dns/promises'
import { findInHostsFile } from './hosts-file.ts'

export type ResolvedAddress = { address: string; family: number }

export type NameLookupOptions = {
  /** Name servers as `address` or `address:port`, instead of the system's. */
  servers?: readonly string[]
  /** Instead of the system's. */
  hostsFile?: string
}

const firstTryMs = 2_000
const tries = 2

/** The name has no address of this family. */
const isAbsence = (error: unknown) => ['ENODATA', 'ENOTFOUND'].includes(String((error as { code?: unknown }).code))

/**
 * Looks a name up: first in the hosts file, then by asking the name servers over sockets of its own. `getaddrinfo` would
 * occupy one of libuv's few threads until the server answers, so a partner whose name server is silent would hold up
 * everybody's deliveries. Here it holds up only its own. Search domains are not applied: names must be complete.
 * IPv4 comes first; the connection tries both families. A resolver lives for one look-up, so it knows the name servers
 * of the moment.
 */
export async function lookUpName(hostname: string, options: NameLookupOptions = {}): Promise<ResolvedAddress[]> {
  const listed = await findInHostsFile(hostname, options.hostsFile)
  if (listed.length > 0) return listed.map(toResolved)
  if (/^localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'].map(toResolved)
  const resolver = new Resolver({ timeout: firstTryMs, tries })
  if (options.servers) resolver.setServers(options.servers)
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses.map(toResolved)
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
  throw errors.find((error) => !isAbsence(error)) ?? errors[0] ?? new Error(`${hostname} has no address`)
}

function toResolved(address: string): ResolvedAddress {
  return { address, family: address.includes(':') ? 6 : 4 }
}
