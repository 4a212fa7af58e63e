import { Type } from 'typebox'

/** In lower case, as Node has header names. */
export const minSequence = 'tillgate-min-sequence'

/** Request header for the minimum sequence of an answer. */
export const FreshnessHeaders = Type.Object({
  [minSequence]: Type.Optional(
    Type.String({
      // Every integer up to 2^53 is exact.
      pattern: String.raw`^\d{1,15}$`,
      'x-must': 'a journal sequence of at most 15 digits',
      description:
        'Requires that the response includes all changes up to this journal sequence, such as the `sequence` of a push or the ' +
        '`Tillgate-Sequence` of an earlier response. Otherwise the response is 503 `sequence_not_reached`, or 409 `sequence_ahead` if the journal skipped it ' +
        'when it was restored to an earlier state.',
      examples: ['1042'],
    }),
  ),
})

/** Response headers, as Node has the names. */
export const completeUntil = 'tillgate-complete-until'
