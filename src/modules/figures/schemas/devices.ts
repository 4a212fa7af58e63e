import { Type, type Static } from 'typebox'
import { codesOf, deviceStates } from '../../../core/outcomes.ts'
import { Completeness } from './completeness.ts'
import { Choice, closed, Count, Datetime, Nullable, NullableChoice, Uuid } from '../../../core/contract/scalars.ts'

const LastOrder = Type.Object(
  {
    id: Uuid(),
    orderNumber: Type.String({ description: 'First 101 characters of the order number.', examples: ['1042'] }),
    openedAt: Datetime({ description: 'The `createdAt` of the order.' }),
    acceptedAt: Datetime({ description: 'When the latest version was accepted.' }),
  },
  { ...closed, title: 'DeviceLastOrder' },
)

const moment = (description: string) => Nullable(Datetime(), { description })

export const DeviceState = Type.Object(
  {
    deviceId: Nullable(Uuid(), { description: 'Id of the device; null for a till that is known only by name.' }),
    deviceName: Nullable(Type.String(), { description: 'Null if unknown.', examples: ['Caisse 1'] }),
    model: Nullable(Type.String(), {
      description: 'Model from the `deviceList` of the location.',
      examples: ['POS-3'],
    }),
    state: Choice(codesOf(deviceStates), {
      description: '`idle`: no activity for 14 business days. `retired`: taken out of service by the operator.',
    }),
    lastSeenAt: moment('Time of its last activity, by the clock of the device.'),
    lastAcceptedAt: moment('When its latest order was accepted.'),
    lastOrder: Type.Unsafe<Static<typeof LastOrder> | null>({
      anyOf: [LastOrder, { type: 'null' }],
      description: 'Newest order of its last 29 business days.',
    }),
    lastNumber: Nullable(Count(), {
      description: 'Number of orders that it has ever closed, from its last status.',
      examples: [1041],
    }),
    lastReport: Type.Unsafe<{ reportNumber: number; finalizedAt: string } | null>({
      anyOf: [
        Type.Object({ reportNumber: Count({ examples: [214] }), finalizedAt: Datetime() }, closed),
        { type: 'null' },
      ],
      description: 'Last Z report with its orders.',
    }),
    completeUntil: moment('All its orders closed until this time have arrived; null while unknown.'),
    basis: NullableChoice(['report', 'status'] as const, {
      description: 'What determines `completeUntil`: a Z report, or a `device.status` record of the device.',
    }),
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
    openOrders: Count({ description: 'Number of its open orders.', examples: [3] }),
    ordersToday: Count({ description: 'Number of its orders of this business day, open or closed.', examples: [84] }),
    rejected24h: Count({
      description: 'Number of its orders rejected in the last 24 hours, among the last 1,000 rejected records.',
      examples: [0],
    }),
    staleShare24h: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description:
        'Share of `stale` versions among the order versions that it pushed to this process in the last 24 hours. Null if it pushed ' +
        'none.',
      examples: [0.02],
    }),
    medianDelayMs: Nullable(Count({ minimum: Number.MIN_SAFE_INTEGER }), {
      description:
        'Median time from `updatedAt` of an order, by the clock of the till, to its acceptance. Counts orders of the last 24 hours among the ' +
        'last 1,000 of the location. Negative if the clock of the till is ahead.',
      examples: [850],
    }),
    clockAheadMs: Nullable(Count({ minimum: 0 }), {
      description:
        'Minimum time by which its clock was ahead when it pushed an order of the last 24 hours; 0 if no order shows that it was.',
      examples: [0],
    }),
    silentSince: moment(
      'Set if the till is silent: when its last order was accepted. A till is silent if no Z report followed, and if this is longer ago than any ' +
        'pause between two orders of the last 24 hours (at least 15 minutes; 2 hours with fewer than six orders). A till without Z reports is ' +
        'silent only within its business day.',
    ),
  },
  { ...closed, title: 'DeviceState' },
)

export const DeviceList = Type.Object(
  {
    data: Type.Array(DeviceState, { description: 'By name, idle and retired devices last.' }),
    meta: Type.Object(
      {
        businessDay: Type.String({ format: 'date', description: 'Current business day.' }),
        completeUntil: Completeness.properties.completeUntil,
        sequence: Completeness.properties.sequence,
      },
      closed,
    ),
  },
  { ...closed, title: 'DeviceList' },
)

export type DeviceState = Static<typeof DeviceState>
export type DeviceList = Static<typeof DeviceList>
