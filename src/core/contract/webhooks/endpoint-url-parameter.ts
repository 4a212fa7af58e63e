import { checkEndpointUrl, checkUri, type EndpointPolicy, type EndpointUrlRefusal } from './endpoint-url.ts'

/** The port of a URL, after a name or a bracketed IPv6 address. */
const portForm = /^[a-z]+:\/\/[^/?#]*?:(\d+)(?:[/?#]|$)/i

const lastPort = 65_535

/** Returns why the text is not a URL, or null if none of these reasons applies. */
function unreadable(text: string): string | null {
  if (text !== text.trim()) return 'The URL begins or ends with a space. Remove it.'
  const port = portForm.exec(text)?.[1]
  return port !== undefined && Number(port) > lastPort ? `The URL has port ${port}; the highest is ${lastPort}.` : null
}

/** Returns why an endpoint cannot be registered, in words for the caller; null if it can. */
export function endpointRefusal(text: string, policy: EndpointPolicy): EndpointUrlRefusal | null {
  const refusal = checkEndpointUrl(text, policy) ?? checkUri(text)
  if (refusal?.code !== 'endpoint_url_invalid') return refusal
  return { ...refusal, detail: unreadable(text) ?? refusal.detail }
}
