import { Type, type Static } from 'typebox'
import { codesOf, verificationStates } from '../../../core/outcomes.ts'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

export const VerificationInput = Type.Object(
  {
    full: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'From the first entry on, instead of where the last verification that held came to.',
      }),
    ),
  },
  { ...closed, title: 'VerificationInput' },
)

export const Verification = Type.Object(
  {
    id: Uuid(),
    state: Choice(codesOf(verificationStates), {
      description:
        '`ok`: every entry from `from` to `to` holds; those before `from` held when they were walked. `broken`: one does not. `failed`: it was cut off, which says ' +
        'nothing of the journal.',
      examples: ['ok'],
    }),
    from: Count({ description: 'The first entry that is walked.', examples: [1] }),
    to: Count({ description: 'The last one: the head of the journal when it began.', examples: [48211] }),
    verifiedTo: Count({ description: 'The last entry that held so far.', examples: [48211] }),
    hash: Type.String({
      description: 'The hash of that entry, which stands for everything before it.',
      examples: ['9f0c0b4c1f7f5f1d2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091'],
    }),
    brokenAt: Nullable(Count(), { description: 'The first entry that does not hold.', examples: [null] }),
    reason: Nullable(Type.String(), { description: 'Why it does not, or why it was cut off.', examples: [null] }),
    startedAt: Datetime(),
    endedAt: Nullable(Datetime()),
  },
  { ...closed, title: 'Verification' },
)

export const VerificationList = Type.Object(
  { data: Type.Array(Verification, { description: 'The newest first.' }) },
  { ...closed, title: 'VerificationList' },
)

export type Verification = Static<typeof Verification>
export type VerificationList = Static<typeof VerificationList>
