import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * A block of addresses: the 4 or 16 bytes of its network, and its number of leading bits. It is plain data, so it can
 * be sent to another process. An IPv4-mapped IPv6 block (`::ffff:10.0.0.0/104`) is stored as the IPv4 block.
 */
export type AddressRange = { readonly network: readonly number[]; readonly prefixLength: number }

const mappedPrefixLength = 96

/** The metadata services of clouds, only to name them: all except Azure's are in ranges that are refused anyway. */
const metadataAddresses = new Set([
  '169.254.169.254',
  '169.254.170.2', // AWS, task credentials
  '168.63.129.16', // Azure, a public address
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
])

const kindNames: Record<string, string> = {
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  uniqueLocal: 'unique-local',
  deprecatedSiteLocal: 'site-local',
  ipv4Mapped: 'IPv4-mapped',
  rfc6052: 'NAT64',
  rfc6145: 'IPv4-translated',
  teredo: 'Teredo',
}

/** The network of all public IPv6 addresses (RFC 4291, 2.4; IANA); others have a local meaning or none. */
const globalUnicast = new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0])
const globalUnicastPrefixLength = 3

const nat64 = new ipaddr.IPv6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0])

/**
 * Returns what kind of forbidden address this is, in words; null if it may be called. `allowed` lists exempt blocks; an
 * IPv4-mapped address is compared as IPv4. Exempting the prefix of a translator (NAT64, 6to4) does not exempt the IPv4
 * address inside: with `64:ff9b::/96` on the allow-list, public IPv4 can be called through NAT64, but
 * `64:ff9b::10.0.0.1` cannot.
 */
export function refusedKind(address: string, allowed: readonly AddressRange[]): string | null {
  const parsed = parseAddress(address)
  if (parsed === null) return 'not an address'
  const kind = kindOf(parsed)
  if (kind === null) return null
  if (!allowed.some((range) => contains(range, parsed))) return kind
  const carried = carriedIPv4(parsed)
  return carried === null ? null : refusedKind(carried, allowed)
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. Bits after the prefix are ignored. */
export function parseAddressRange(text: string): AddressRange | null {
  const [host = '', length, ...rest] = text.split('/')
  const network = parseAddress(host)
  if (network === null || host.includes('%') || rest.length > 0) return null
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return null
  const isIPv4Text = isIPv4(host)
  const longest = isIPv4Text ? 32 : 128
  const prefixLength = length === undefined ? longest : Number(length)
  if (prefixLength > longest) return null
  if (isIPv4Text || !isMapped(network) || prefixLength < mappedPrefixLength) {
    return { network: network.toByteArray(), prefixLength }
  }
  return { network: network.toIPv4Address().toByteArray(), prefixLength: prefixLength - mappedPrefixLength }
}

/** Reads a constant, or a text that was already checked, as a block. Throws `TypeError` for anything else. */
export function toAddressRange(text: string): AddressRange {
  const range = parseAddressRange(text)
  if (range === null) throw new TypeError(`${text} is not an address block such as 10.0.0.0/8 or fd00::/8`)
  return range
}

/** Formats a block as `10.0.0.0/8`. */
export const toText = ({ network, prefixLength }: AddressRange): string =>
  `${ipaddr.fromByteArray([...network]).toString()}/${prefixLength}`

/** Returns whether an address is in one of the blocks; an IPv4-mapped one counts as its IPv4 address. */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && ranges.some((range) => contains(range, parsed))
}

function contains(range: AddressRange, address: Address): boolean {
  const plain = isMapped(address) ? address.toIPv4Address() : address
  const network = ipaddr.fromByteArray([...range.network])
  return plain.kind() === network.kind() && plain.match(network, range.prefixLength)
}

function kindOf(address: Address): string | null {
  if (metadataAddresses.has(address.toString())) return 'cloud metadata'
  const range: string = address.range()
  if (range !== 'unicast') return kindNames[range] ?? range
  const isPublic = address.kind() === 'ipv4' || address.match(globalUnicast, globalUnicastPrefixLength)
  return isPublic ? null : 'reserved'
}

/** Returns the IPv4 address to which a translator would forward this one, or null. */
function carriedIPv4(address: Address): string | null {
  if (address.kind() === 'ipv4') return null
  const bytes = address.toByteArray()
  if (address.match(nat64, 96)) return bytes.slice(12).join('.')
  return address.range() === '6to4' ? bytes.slice(2, 6).join('.') : null
}

function isMapped(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()
}

/**
 * Reads an address strictly: no octal, hexadecimal or short IPv4, which ipaddr.js accepts. IPv6 goes through `URL` for
 * its canonical form in hexadecimal, because ipaddr.js reads `::127.0.0.1` (IPv4-compatible) as the mapped
 * `::ffff:127.0.0.1`.
 */
function parseAddress(text: string): Address | null {
  const family = isIP(text)
  if (family === 0) return null
  if (family === 4) return ipaddr.IPv4.parse(text)
  const zone = text.indexOf('%')
  const bare = zone === -1 ? text : text.slice(0, zone)
  return ipaddr.IPv6.parse(new URL(`http://[${bare}]`).hostname.slice(1, -1))
}

/** Some proxies forward the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const portForm = /^(?:\[(?<ipv6>.+)\]|(?<ipv4>[\d.]+))(?::\d+)?$/

/** Parses an address from a server or a proxy; a listener on `::` sees IPv4 clients as `::ffff:…`. */
function readCaller(text: string): Address | null {
  const { ipv6, ipv4 } = portForm.exec(text)?.groups ?? {}
  const parsed = parseAddress(ipv6 ?? ipv4 ?? text)
  return parsed !== null && isMapped(parsed) ? parsed.toIPv4Address() : parsed
}

/** Formats the address of a caller in its canonical form (RFC 5952), without a port; null if it is not an address. */
export const callerAddress = (text: string): string | null => readCaller(text)?.toString() ?? null

/**
 * Returns the block that a caller is counted by: an IPv4 address, even if it is written or embedded in IPv6; otherwise
 * the first 64 bits of an IPv6 address, which a household or a machine usually has. All texts that are not addresses
 * count as one caller; otherwise a caller could send a different text each time.
 */
export function addressBlock(text: string): string {
  const caller = readCaller(text)
  if (caller === null) return 'unknown'
  const carried = carriedIPv4(caller)
  if (carried !== null) return carried
  return caller instanceof ipaddr.IPv6 ? caller.parts.slice(0, 4).join(':') : caller.toString()
}
