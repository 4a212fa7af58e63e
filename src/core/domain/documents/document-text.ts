/**
 * A document as text, or as the UTF-8 of that where nobody has to look into it: bytes lie outside the heap of V8,
 * whose collector would copy a text that waits for a commit from place to place.
 */
export type DocumentText = string | Buffer

export function toText(document: DocumentText): string {
  return typeof document === 'string' ? document : document.toString()
}

export function isSameDocument(one: DocumentText, other: DocumentText): boolean {
  if (typeof one === 'string' || typeof other === 'string') return toText(one) === toText(other)
  return one.equals(other)
}
