import { Type } from 'typebox'

/** The name of a request header, in lower case as in Node. */
export const minSequence = 'tillgate-min-sequence'

/** Request header for the minimum sequence of an answer. */
export const FreshnessHeaders = Type.Object({
  [minSequence]: Type.Optional(
    Type.String({
      // JavaScript numbers represent every integer of 15 digits exactly.
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

/** The name of a response header, in lower case as in Node. */
export const completeUntil = 'tillgate-complete-until'
