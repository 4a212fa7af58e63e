/** The content type of every JSON answer. */
export const jsonType = 'application/json; charset=utf-8'

/** Begins a list of documents in its envelope. */
export const frameStart = Buffer.from('{"data":[')

/** Between two documents of an array. */
export const comma = Buffer.from(',')

/** Ends the list and puts the members of an object after it: `],"meta":…}`. */
export function frameEnd(members: object): string {
  return `],${JSON.stringify(members).slice(1)}`
}

/** An envelope around documents that are serialised already, each in so many parts: of what is long there is one copy. */
export function dataFrame(documents: readonly (readonly (Buffer | string)[])[], members: object): Buffer {
  const list = documents.flatMap((parts, i) => (i === 0 ? parts : [comma, ...parts]))
  const parts = [frameStart, ...list, frameEnd(members)]
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
