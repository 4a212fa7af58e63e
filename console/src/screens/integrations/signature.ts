/** Signs a message by Standard Webhooks, in this page; `headers` have lower-case names. Throws for a bad secret. */
export async function sign(secret: string, headers: Record<string, string>, body: string): Promise<string> {
  if (!secret.startsWith('whsec_')) throw new TypeError('a secret begins with whsec_')
  const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`
}

export const lowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
