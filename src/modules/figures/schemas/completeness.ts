import { Type, type Static } from 'typebox'
import { codesOf, deviceStates } from '../../../core/outcomes.ts'
import { Choice, closed, Count, Datetime, Nullable, NullableChoice, Uuid } from '../../../core/contract/scalars.ts'

const until = (description: string) => Nullable(Datetime(), { description })

const DeviceCompleteness = Type.Object(
  {
    deviceId: Nullable(Uuid(), { description: 'Null for a till that is told by its name only.' }),
    deviceName: Nullable(Type.String(), { examples: ['Caisse 1'] }),
    state: Choice(codesOf(deviceStates), {
      description:
        '`idle`: nothing was heard of it for 14 business days; `retired`: the operator took it out of service. Neither holds anything back.',
    }),
    completeUntil: until('Every order of it that was closed until then has arrived; null while it never said.'),
    basis: NullableChoice(['report', 'status'] as const, {
      description: 'What says so: a Z report, or its own status.',
    }),
    lastSeenAt: until('When it last opened, closed or reported something, by its own clock.'),
    reportedBy: Nullable(Type.String(), {
      description: 'The till whose Z reports name its orders, where that is another one.',
      examples: [null],
    }),
    missingReports: Type.Array(Type.Integer(), { description: 'Numbers of its Z reports that were passed over.' }),
    missingOrders: Count({ description: 'Orders that it says it closed and that never arrived.', examples: [0] }),
    openOrders: Count({ description: 'Orders that its Z reports name and that are still open.', examples: [0] }),
  },
  { ...closed, title: 'DeviceCompleteness' },
)

export const Completeness = Type.Object(
  {
    completeUntil: until('The earliest of its active devices; null while one of them never said.'),
    sequence: Count({ description: 'Number of the journal at which it holds.', examples: [48211] }),
    devices: Type.Array(DeviceCompleteness, { description: 'By name, those that are idle or retired last.' }),
  },
  { ...closed, title: 'Completeness' },
)

export type Completeness = Static<typeof Completeness>
