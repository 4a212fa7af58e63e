import Negotiator from 'negotiator'

/** Adds what the types of the package lack: which coding is taken where the caller prefers neither. */
type Preferring = {
  encoding: (available: readonly string[], options: { preferred: readonly string[] }) => string | undefined
}

type Asking = { headers: Record<string, string | string[] | undefined> }

/**
 * Returns the type that the caller prefers by `Accept`, qualities included (RFC 9110, 12.5.1), among those that an
 * answer can have. It is the first of them where the caller has no preference or takes none, because an answer in
 * another form is more useful than a refusal.
 */
export function preferredType<T extends string>(request: Asking, types: readonly [T, ...T[]]): T {
  const preferred = new Negotiator(request).mediaType(types)
  return types.find((type) => type === preferred) ?? types[0]
}

/**
 * Returns the content coding that the caller prefers by `Accept-Encoding` (RFC 9110, 12.5.3) among those that an answer
 * can have, the earlier one where it has no preference, and `identity` where it takes none of them.
 */
export function preferredCoding<T extends string>(request: Asking, codings: readonly T[]): T | 'identity' {
  const negotiator = new Negotiator(request) as Negotiator & Preferring
  const preferred = negotiator.encoding([...codings, 'identity'], { preferred: codings })
  return codings.find((coding) => coding === preferred) ?? 'identity'
}
