import { BlockList, isIPv6 } from 'node:net'
import os from 'node:os'

/**
 * Tells whether this machine has the address. A service that listens on all addresses behind a firewall would be reached from
 * inside, so its public addresses are refused like loopback. Asked anew each time: addresses come and go.
 */
export function isOwnAddress(address: string): boolean {
  const own = new BlockList()
  for (const addresses of Object.values(os.networkInterfaces())) {
    for (const { address: one, family } of addresses ?? []) own.addAddress(one, family === 'IPv6' ? 'ipv6' : 'ipv4')
  }
  return own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
