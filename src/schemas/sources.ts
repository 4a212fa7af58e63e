/** The systems whose sales Tillgate reads as they come. */
export const liveSources = ['square'] as const

export type LiveSource = (typeof liveSources)[number]
