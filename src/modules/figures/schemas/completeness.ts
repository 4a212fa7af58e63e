import { Type, type Static } from 'typebox'
import { codesOf, deviceStates } from '../../../core/outcomes.ts'
import { Choice, closed, Count, Datetime, Nullable, NullableChoice, Uuid } from '../../../core/contract/scalars.ts'

const until = (description: string) => Nullable(Datetime(), { description })

const DeviceCompleteness = Type.Object(
  {
    deviceId: Nullable(Uuid(), { description: 'Id of the device; null for a till that is known only by name.' }),
    deviceName: Nullable(Type.String(), { description: 'Null if unknown.', examples: ['Caisse 1'] }),
    state: Choice(codesOf(deviceStates), {
      description:
        '`idle`: no activity for 14 business days. `retired`: taken out of service by the operator. Only `active` devices delay the location.',
    }),
    completeUntil: until('All its orders closed until this time have arrived; null while unknown.'),
    basis: NullableChoice(['report', 'status'] as const, {
      description: 'What determines `completeUntil`: a Z report, or a `device.status` record of the device.',
    }),
    lastSeenAt: until('Time of its last activity, by the clock of the device.'),
    reportedBy: Nullable(Type.String(), {
      description: 'Name of the other till whose Z reports contain the orders of this device; null if there is none.',
      examples: [null],
    }),
    missingReports: Type.Array(Type.Integer(), {
      description: 'Missing numbers of its Z reports; at most 100 of each gap.',
    }),
    missingOrders: Count({
      description: 'Number of missing orders: closed according to the counter of the device, but not arrived.',
      examples: [0],
    }),
    openOrders: Count({ description: 'Open orders of its Z reports.', examples: [0] }),
  },
  { ...closed, title: 'DeviceCompleteness' },
)

export const Completeness = Type.Object(
  {
    completeUntil: until('Earliest `completeUntil` of the active devices; null if it is unknown for one of them.'),
    sequence: Count({ description: 'Journal sequence of this state.', examples: [48211] }),
    devices: Type.Array(DeviceCompleteness, { description: 'By name, idle and retired devices last.' }),
  },
  { ...closed, title: 'Completeness' },
)

export type Completeness = Static<typeof Completeness>
