import { Type, type Static } from 'typebox'
import { codesOf, verificationStates } from '../../../core/outcomes.ts'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

export const VerificationInput = Type.Object(
  {
    full: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Start at the first entry instead of the end of the last successful verification.',
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
        '`ok`: every entry from `from` to `to` is valid; earlier entries were valid when they were verified. `broken`: an entry is not valid. `failed`: the verification was interrupted, which says ' +
        'nothing about the journal.',
      examples: ['ok'],
    }),
    from: Count({ description: 'First entry to verify.', examples: [1] }),
    to: Count({ description: 'Last entry to verify: the head of the journal at the start.', examples: [48211] }),
    verifiedTo: Count({ description: 'Last valid entry so far.', examples: [48211] }),
    hash: Type.String({
      description: 'Hash of the last valid entry so far; it covers all earlier entries.',
      examples: ['9f0c0b4c1f7f5f1d2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091'],
    }),
    brokenAt: Nullable(Count(), { description: 'First entry that is not valid.', examples: [null] }),
    reason: Nullable(Type.String(), {
      description: 'Why it is not valid, or why the verification was interrupted.',
      examples: [null],
    }),
    startedAt: Datetime(),
    endedAt: Nullable(Datetime(), { description: 'Null while the verification is running.' }),
  },
  { ...closed, title: 'Verification' },
)

export const VerificationList = Type.Object(
  { data: Type.Array(Verification, { description: 'The newest first.' }) },
  { ...closed, title: 'VerificationList' },
)

export type Verification = Static<typeof Verification>
export type VerificationList = Static<typeof VerificationList>
