import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** UUIDv5 of the URL namespace and `urn:tillgate:adapters`. */
const namespace = Buffer.from('b3c06b2c19cf5c7e9576c200f6341954', 'hex')

/** Objects of other systems that get an id. */
export type IdKind =
  | 'order'
  | 'report'
  | 'device'
  | 'operator'
  | 'product'
  | 'modifier-group'
  | 'modifier'
  | 'payment'
  | 'tax'
  | 'discount'
  | 'menu'

/** A shop of a system, in which keys are unique. */
export type Account = { source: string; account: string }

/**
 * Makes the id for an object of another system: the UUIDv5 (RFC 9562) of `source/account/kind/key`, each part through
 * `encodeURIComponent`. The rule is the same for systems with UUIDs, so that two converters make the same ids. An
 * unknown device or operator has the empty key.
 */
export function idOf(account: Account, kind: IdKind, key: string): string {
  if (kind === 'order' || kind === 'report') return makeId(account, kind, key)
  const name = `${account.source}\0${account.account}\0${kind}\0${key}`
  const known = made.get(name)
  if (known !== undefined) return known
  const id = makeId(account, kind, key)
  made.set(name, id)
  return id
}

/** Ids of objects that many tickets share: products, taxes, payments, tills. */
const made = new LRUCache<string, string>({ max: 5_000 })

function makeId({ source, account }: Account, kind: IdKind, key: string): string {
  const name = [source, account, kind, key].map(encodeURIComponent).join('/')
  const digest = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'buffer')
  digest[6] = ((digest[6] as number) & 0x0f) | 0x50
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80
  const hex = digest.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
