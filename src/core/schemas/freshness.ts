import { Type } from 'typebox'

/** Written in lower case, as Node writes the names of headers. */
export const minSequence = 'tillgate-min-sequence'

/** Header of a request for an answer that is at least so fresh. */
export const FreshnessHeaders = Type.Object({
  [minSequence]: Type.Optional(
    Type.String({
      // Up to 2^53 every number is exact.
      pattern: String.raw`^\d{1,15}$`,
      'x-must': 'a number of the journal, of 15 digits at most',
      description:
        'The answer has every change up to this number of the journal, such as the `sequence` of a push or the ' +
        '`Tillgate-Sequence` of an earlier answer; else it is 503 `sequence_not_reached`, or 409 `sequence_ahead` where the journal skipped the number ' +
        'when it continued from an older state.',
      examples: ['1042'],
    }),
  ),
})

/** Headers of answers, as Node writes the names. */
export const completeUntil = 'tillgate-complete-until'
