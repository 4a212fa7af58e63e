import Negotiator from 'negotiator'

/** What the types of the package do not know: which coding is taken where the caller prefers neither. */
type Preferring = {
  encoding: (available: readonly string[], options: { preferred: readonly string[] }) => string | undefined
}

/** A request, of which only the headers are read. */
type Asking = { headers: Record<string, string | string[] | undefined> }

/**
 * Of the types that an answer can have, the one that the caller prefers by `Accept`, qualities included (RFC 9110, 12.5.1).
 * The first of them where the caller has no preference, or takes none: an answer in another form is more use than a refusal.
 */
export function preferredType<T extends string>(request: Asking, types: readonly [T, ...T[]]): T {
  const preferred = new Negotiator(request).mediaType(types)
  return types.find((type) => type === preferred) ?? types[0]
}

/**
 * Of the content codings that an answer can have, the one that the caller prefers by `Accept-Encoding`, the earlier one
 * where it prefers neither (RFC 9110, 12.5.3); `identity` where it takes none of them.
 */
export function preferredCoding<T extends string>(request: Asking, codings: readonly T[]): T | 'identity' {
  const negotiator = new Negotiator(request) as Negotiator & Preferring
  const preferred = negotiator.encoding([...codings, 'identity'], { preferred: codings })
  return codings.find((coding) => coding === preferred) ?? 'identity'
}
