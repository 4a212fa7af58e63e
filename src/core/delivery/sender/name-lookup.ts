import { Resolver } from 'node:dns/promises'
import { findInHostsFile } from './hosts-file.ts'

export type ResolvedAddress = { address: string; family: number }

export type NameLookupOptions = {
  /** Name servers as `address` or `address:port`, instead of the system's. */
  servers?: readonly string[]
  /** Replaces the system's hosts file. */
  hostsFile?: string
}

const firstTryMs = 2_000
const tries = 2

/** Returns whether a look-up failed because the name has no address of this family. */
const isAbsence = (error: unknown) => ['ENODATA', 'ENOTFOUND'].includes(String((error as { code?: unknown }).code))

/**
 * Looks a name up: first in the hosts file, then at the name servers over its own sockets. `getaddrinfo` would occupy
 * one of libuv's few threads until the server answers, so a partner's silent name server would delay all deliveries.
 * Here it delays only deliveries to that partner. Search domains are not applied: names must be complete. IPv4 comes
 * first; the connection tries both families. Each look-up has its own resolver, so it uses the current name servers.
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
