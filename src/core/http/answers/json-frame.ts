export const jsonType = 'application/json; charset=utf-8'

/** Begins a list of documents in its envelope. */
export const frameStart = Buffer.from('{"data":[')

/** The byte between two documents of an array. */
export const comma = 0x2c

/** Ends the list and puts the members of an object after it: `],"meta":…}`. */
export function frameEnd(members: object): string {
  return `],${JSON.stringify(members).slice(1)}`
}
