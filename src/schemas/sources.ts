import { Type, type Static } from 'typebox'
import { Choice, closed, Minor, Uuid } from './scalars.ts'

/** The systems whose sales Tillgate reads as they come. */
export const liveSources = ['square', 'toast', 'loyverse', 'lightspeed-k'] as const

export type LiveSource = (typeof liveSources)[number]

/** A business day on which what is stored of a source is not what the source says was paid, also after it was read again. */
export const SourceDifference = Type.Object(
  {
    id: Uuid({ description: 'Of the day of the source: the same when it is told again with other amounts.' }),
    sourceId: Uuid(),
    source: Choice(liveSources, { examples: ['square'] }),
    account: Type.String({ description: 'The shop in the source.', examples: ['L123'] }),
    date: Type.String({ format: 'date', description: 'The business day.', examples: ['2026-03-14'] }),
    here: Minor({ description: 'What was paid by the orders that are stored, tips in it.', examples: [120_050] }),
    there: Minor({ description: 'What was paid as the source states it.', examples: [122_050] }),
    difference: Minor({ description: '`here` less `there`.', examples: [-2_000] }),
  },
  { ...closed, title: 'SourceDifference' },
)

export type SourceDifference = Static<typeof SourceDifference>
