/**
 * A document as text, or as UTF-8 bytes if nothing inspects it: bytes are outside the V8 heap, so the garbage collector
 * does not copy documents that wait for a commit.
 */
export type DocumentText = string | Buffer

export function toText(document: DocumentText): string {
  return typeof document === 'string' ? document : document.toString()
}

export function isSameDocument(one: DocumentText, other: DocumentText): boolean {
  if (typeof one === 'string' || typeof other === 'string') return toText(one) === toText(other)
  return one.equals(other)
}
