import { isInRanges, refusedKind, type AddressRange } from '../../domain/addresses/addresses.ts'
import { addressWayOut, RefusedError } from '../../contract/webhooks/endpoint-url.ts'
import { lookUpName, type ResolvedAddress } from './name-lookup.ts'
import { isOwnAddress } from './own-addresses.ts'

/** Resolves to all addresses of a name, in order of preference; rejects if it has none. */
export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>

/** Returns the kind of an address that must not be called, in words; null if it may be called. */
function refusalOf(address: string, allowed: readonly AddressRange[]): string | null {
  const kind = refusedKind(address, allowed)
  if (kind !== null) return kind
  return isOwnAddress(address) && !isInRanges(address, allowed) ? 'an address of this machine' : null
}

/** Throws `RefusedError` for a literal address that must not be called. */
export function checkAddress(address: string, allowed: readonly AddressRange[]): void {
  const kind = refusalOf(address, allowed)
  if (kind !== null) throw new RefusedError(`the address ${address} is not allowed: ${kind}`, address)
}

/**
 * Makes look-ups that return only allowed addresses, and reject with `RefusedError` if all are refused. Connect to
 * exactly these addresses; resolving again would undo the check (DNS rebinding).
 *
 * Concurrent callers for one name share one look-up. Answers are not cached: a pool connects rarely.
 */
export function createGuardedLookup(
  allowed: readonly AddressRange[],
  lookup: Lookup = lookUpName,
  isSource = false,
): Lookup {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>()
  return (hostname) => {
    const shared = underWay.get(hostname)
    if (shared) return shared
    const answer = lookup(hostname)
      .then((addresses) => keepAllowed(hostname, addresses, allowed, isSource))
      .finally(() => underWay.delete(hostname))
    underWay.set(hostname, answer)
    return answer
  }
}

/**
 * Drops refused addresses, and throws `RefusedError` if none is left. The owner of the name is shown the kind of its
 * address, not the address itself, which would reveal how names resolve here.
 */
function keepAllowed(
  hostname: string,
  addresses: readonly ResolvedAddress[],
  allowed: readonly AddressRange[],
  isSource: boolean,
) {
  const [first] = addresses
  if (first === undefined) throw new Error(`${hostname} has no address`)
  const kept = addresses.filter(({ address }) => refusalOf(address, allowed) === null)
  if (kept.length > 0) return kept
  const kind = refusalOf(first.address, allowed)
  const what = `the name ${hostname} resolves to an address that is not allowed: ${kind}`
  throw new RefusedError(`${what}. ${addressWayOut(isSource)}`, first.address)
}
