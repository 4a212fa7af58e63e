import { BlockList, isIPv6 } from 'node:net'
import os from 'node:os'

/**
 * Returns whether the address belongs to this machine. Public addresses of the machine are refused like loopback,
 * because a service behind a firewall could be reached from inside. Checked each time, because addresses change.
 */
export function isOwnAddress(address: string): boolean {
  const own = new BlockList()
  for (const addresses of Object.values(os.networkInterfaces())) {
    for (const { address: one, family } of addresses ?? []) own.addAddress(one, family === 'IPv6' ? 'ipv6' : 'ipv4')
  }
  return own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
