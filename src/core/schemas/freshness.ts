import { Type } from 'typebox'

/** Written in lower case, as Node writes the names of headers. */
export const minSequence = 'tillgate-min-sequence'

/** Header of a request for an answer that is at least so fresh. */
export const FreshnessHeaders = Type.Object({
  [minSequence]: Type.Optional(
    Type.String({
      // Up to 2^53 every number is exact.
      pattern: String.raw`^\d{1,15}$`,
      'x-must': 'a journal sequence of at most 15 digits',
      description:
        'Requires that the response includes all changes up to this journal sequence, such as the `sequence` of a push or the ' +
        '`Tillgate-Sequence` of an earlier response. Otherwise the response is 503 `sequence_not_reached`, or 409 `sequence_ahead` if the journal skipped it ' +
        'when it continued from an older state.',
      examples: ['1042'],
    }),
  ),
})

/** Headers of answers, as Node writes the names. */
export const completeUntil = 'tillgate-complete-until'
