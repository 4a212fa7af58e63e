/** Makes an id that is recognizable as fake: all sample ids have the same prefix and zeros. */
export const id = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

export const at = (time: string) => `2026-03-14T${time}.000Z`

export const sampleTime = at('12:34:56')
