import { lookup as systemLookup } from 'node:dns/promises'
import { refusedKind, type AddressRange } from '../../domain/addresses.ts'
import { RefusedError } from '../../domain/endpoint-url.ts'

export type ResolvedAddress = { address: string; family: number }

/** All addresses of a name, in order of preference; rejects when it has none. */
export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>

export function checkAddress(address: string, allowed: readonly AddressRange[]): void {
  const kind = refusedKind(address, allowed)
  if (kind !== null) throw new RefusedError(`the address ${address} may not be called: ${kind}`, address)
}

/**
 * Look-ups whose answers the guard has passed: refused addresses are dropped, and when none is left it rejects with
 * `RefusedError`. Connect to exactly these addresses; resolving again would undo the check (DNS rebinding).
 *
 * Callers that ask for one name at the same time share one look-up. `getaddrinfo` holds one of libuv's four threads
 * until it answers, so a name whose server is silent costs one thread, however many deliveries wait for it. Answers
 * are not kept: a pool connects rarely, and a cache would have to guess a lifetime that `getaddrinfo` does not tell.
 */
export function createGuardedLookup(allowed: readonly AddressRange[], lookup: Lookup = lookupBySystem): Lookup {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>()
  return (hostname) => {
    const shared = underWay.get(hostname)
    if (shared) return shared
    const answer = lookup(hostname)
      .then((addresses) => keepAllowed(hostname, addresses, allowed))
      .finally(() => underWay.delete(hostname))
    underWay.set(hostname, answer)
    return answer
  }
}

async function lookupBySystem(hostname: string): Promise<readonly ResolvedAddress[]> {
  return systemLookup(hostname, { all: true, order: 'verbatim' })
}

function keepAllowed(hostname: string, addresses: readonly ResolvedAddress[], allowed: readonly AddressRange[]) {
  const kept = addresses.filter(({ address }) => refusedKind(address, allowed) === null)
  const [first] = addresses
  if (first === undefined) throw new Error(`${hostname} has no address`)
  if (kept.length > 0) return kept
  const kind = refusedKind(first.address, allowed)
  throw new RefusedError(`the name ${hostname} is ${first.address}, which may not be called: ${kind}`, first.address)
}
