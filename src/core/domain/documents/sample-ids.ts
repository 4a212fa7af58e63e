/** Makes an id that is recognised as fake: every id of the samples ends alike. */
export const id = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

export const at = (time: string) => `2026-03-14T${time}.000Z`

/** The moment that the samples are about. */
export const sampleTime = at('12:34:56')
