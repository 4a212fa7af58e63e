import Negotiator from 'negotiator'

/** Adds an argument that the package's types lack: the codings to use if the caller has no preference. */
type Preferring = {
  encoding: (available: readonly string[], options: { preferred: readonly string[] }) => string | undefined
}

type Asking = { headers: Record<string, string | string[] | undefined> }

/**
 * Returns the type that the caller prefers by `Accept`, with qualities (RFC 9110, 12.5.1), among the types of an
 * answer. Returns the first of them if the caller has no preference or accepts none, since an answer in another form is
 * more useful than a refusal.
 */
export function preferredType<T extends string>(request: Asking, types: readonly [T, ...T[]]): T {
  const preferred = new Negotiator(request).mediaType(types)
  return types.find((type) => type === preferred) ?? types[0]
}

/**
 * Returns the content coding of an answer that the caller prefers by `Accept-Encoding` (RFC 9110, 12.5.3): the first
 * one without a preference, and `identity` if the caller accepts none of them.
 */
export function preferredCoding<T extends string>(request: Asking, codings: readonly T[]): T | 'identity' {
  const negotiator = new Negotiator(request) as Negotiator & Preferring
  const preferred = negotiator.encoding([...codings, 'identity'], { preferred: codings })
  return codings.find((coding) => coding === preferred) ?? 'identity'
}
