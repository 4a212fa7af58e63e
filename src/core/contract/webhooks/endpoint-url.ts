import { isIP } from 'node:net'
import { isInRanges, refusedKind, type AddressRange } from '../../domain/addresses/addresses.ts'

/** Which endpoints are allowed (`--allow-http`, `--allow-address`). */
export type EndpointPolicy = {
  allowHttp: boolean
  allowAddresses: readonly AddressRange[]
  /** Returns whether the address belongs to this machine. Without this function, only the resolver checks it. */
  isOwnAddress?: (address: string) => boolean
  /** True if the URL is that of a system that Tillgate polls for sales, instead of a receiver. */
  isSource?: boolean
}

export type EndpointUrlRefusal = {
  code:
    | 'endpoint_url_invalid'
    | 'endpoint_url_too_long'
    | 'endpoint_url_scheme'
    | 'endpoint_url_credentials'
    | 'endpoint_url_address'
  /** One sentence for the caller of the API: what is wrong and what to change. */
  detail: string
}

/** Thrown if the URL of an endpoint, or each of its addresses, is refused; `address` is the first refused address. */
export class RefusedError extends Error {
  readonly address: string | null

  constructor(message: string, address: string | null) {
    super(message)
    this.address = address
  }
}

const maximumLength = 2048

/** Returns advice for a refused endpoint: how to receive events on one's own machine, and the flag that allows it. */
const wayOut = (flag: string, isSource = false) =>
  isSource
    ? `The operator can allow it with ${flag}.`
    : `For a receiver on your own machine, use \`tillgate listen --forward <url>\`; the operator can allow it with ${flag}.`

/** Returns advice for an endpoint that is refused because of its address, or the address that its name resolves to. */
export const addressWayOut = (isSource = false) => wayOut('--allow-address <CIDR>', isSource)

/**
 * Returns why an endpoint URL cannot be registered or called; null if it can. Names are not resolved here: they may
 * change with each connection, so every resolved address is checked when connecting. Literal addresses are checked as
 * `URL` normalizes them, so `0x7f.1`, `2130706433`, `127.0.0.1.` and `[::ffff:7f00:1]` are recognized.
 */
export function checkEndpointUrl(text: string, policy: EndpointPolicy): EndpointUrlRefusal | null {
  if (text.length > maximumLength) {
    return { code: 'endpoint_url_too_long', detail: `The URL must have at most ${maximumLength} characters.` }
  }
  const url = parseStrictly(text)
  if (typeof url === 'string') return { code: 'endpoint_url_invalid', detail: url }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    const schemes = policy.allowHttp ? 'https or http' : 'https'
    const detail = `The scheme must be ${schemes}, not ${url.protocol.slice(0, -1)}.`
    const isHttp = url.protocol === 'http:'
    return {
      code: 'endpoint_url_scheme',
      detail: isHttp ? `${detail} ${wayOut('--allow-http', policy.isSource)}` : detail,
    }
  }
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) {
    return { code: 'endpoint_url_credentials', detail: 'The URL must not contain a user name or password.' }
  }
  return checkHost(url.hostname, policy)
}

/** The characters of an RFC 3986 URI after its scheme. Brackets are allowed only around an IPv6 address. */
const uriText = /^[a-z]+:\/\/(?:[\w.~:[\]!$&'()*+,;=-]|%[\da-f]{2})*(?:[/?](?:[\w.~:/?@!$&'()*+,;=-]|%[\da-f]{2})*)?$/i

/**
 * Returns why a URL that can be called is not a URI, which the contract requires for `endpointUrl`; null if it is a
 * URI. Checked at registration only: URLs that were accepted earlier are called unchanged.
 */
export function checkUri(text: string): EndpointUrlRefusal | null {
  if (uriText.test(text)) return null
  const { protocol, host, href } = new URL(text)
  const origin = `${protocol}//${host}`
  const rest = href
    .slice(origin.length)
    .replaceAll(/%(?![\da-f]{2})/gi, '%25')
    .replaceAll(/[^\w.~:/?@!$&'()*+,;=%-]/g, encodeURIComponent)
  return { code: 'endpoint_url_invalid', detail: `Not a valid URI (RFC 3986). Send ${origin}${rest}` }
}

/** Returns a URL, or a sentence with the reason. `URL` alone accepts spaces, backslashes and missing slashes. */
function parseStrictly(text: string): URL | string {
  const url = URL.parse(text)
  if (!/^[a-z][a-z\d+.-]*:/i.test(text) || url === null) return 'The value must be an absolute URL with a host.'
  // oxlint-disable-next-line no-control-regex -- the pattern must find control characters
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'The URL must not contain a space, control character or backslash.'
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (isWeb && !/^https?:\/\/[^/]/i.test(text))
    return 'The URL has no host. Write two slashes and a host after the scheme.'
  if (url.port === '0') return 'The URL has port 0, which cannot be called. Use another one.'
  if (text.includes('#')) return 'The URL has a fragment, which is never sent. Remove it.'
  return url
}

function checkHost(
  hostname: string,
  { allowAddresses, isOwnAddress, isSource }: EndpointPolicy,
): EndpointUrlRefusal | null {
  const addressRefusal = (detail: string): EndpointUrlRefusal => ({
    code: 'endpoint_url_address',
    detail: `${detail} ${addressWayOut(isSource)}`,
  })
  const literal = literalAddress(hostname)
  if (literal !== null) {
    const kind = refusedKind(literal, allowAddresses)
    if (kind !== null) return addressRefusal(`The address ${literal} is not allowed: ${kind}.`)
    const isOwn = isOwnAddress?.(literal) === true && !isInRanges(literal, allowAddresses)
    return isOwn ? addressRefusal(`The address ${literal} is not allowed: an address of this machine.`) : null
  }
  const isLocalhost = /(^|\.)localhost\.?$/.test(hostname)
  const isRefused =
    isLocalhost && ['127.0.0.1', '::1'].every((address) => refusedKind(address, allowAddresses) !== null)
  return isRefused ? addressRefusal(`The host ${hostname} is not allowed: loopback.`) : null
}

/** Returns the address in `URL.hostname` without the brackets of IPv6; null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? null : bare
}
