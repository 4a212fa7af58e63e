import { Type, type Static } from 'typebox'
import { codesOf, deviceStates } from '../../../core/outcomes.ts'
import { Completeness } from './completeness.ts'
import { Choice, closed, Count, Datetime, Nullable, NullableChoice, Uuid } from '../../../core/contract/scalars.ts'

const LastOrder = Type.Object(
  {
    id: Uuid(),
    orderNumber: Type.String({ description: 'The first 101 characters.', examples: ['1042'] }),
    openedAt: Datetime({ description: '`createdAt` of the order.' }),
    acceptedAt: Datetime({ description: 'When its latest version was accepted.' }),
  },
  { ...closed, title: 'DeviceLastOrder' },
)

const moment = (description: string) => Nullable(Datetime(), { description })

export const DeviceState = Type.Object(
  {
    deviceId: Nullable(Uuid(), { description: 'Null for a till that is told by its name only.' }),
    deviceName: Nullable(Type.String(), { examples: ['Caisse 1'] }),
    model: Nullable(Type.String(), { description: 'As the location’s `deviceList` has it.', examples: ['POS-3'] }),
    state: Choice(codesOf(deviceStates), {
      description:
        '`idle`: nothing was heard of it for 14 business days; `retired`: the operator took it out of service.',
    }),
    lastSeenAt: moment('When it last opened, closed or reported something, by its own clock.'),
    lastAcceptedAt: moment('When the latest of its orders was accepted.'),
    lastOrder: Type.Unsafe<Static<typeof LastOrder> | null>({
      anyOf: [LastOrder, { type: 'null' }],
      description: 'The newest of its last 29 business days.',
    }),
    lastNumber: Nullable(Count(), {
      description: 'How many orders it has ever closed, by its own counter, as its last status says.',
      examples: [1041],
    }),
    lastReport: Type.Unsafe<{ reportNumber: number; finalizedAt: string } | null>({
      anyOf: [
        Type.Object({ reportNumber: Count({ examples: [214] }), finalizedAt: Datetime() }, closed),
        { type: 'null' },
      ],
      description: 'The last Z report in which its orders are.',
    }),
    completeUntil: moment('Every order of it that was closed until then has arrived; null while it never said.'),
    basis: NullableChoice(['report', 'status'] as const, {
      description: 'What says so: a Z report, or its own status.',
    }),
    reportedBy: Nullable(Type.String(), {
      description: 'The till whose Z reports name its orders, where that is another one.',
      examples: [null],
    }),
    missingReports: Type.Array(Type.Integer(), { description: 'Numbers of its Z reports that were passed over.' }),
    missingOrders: Count({ description: 'Orders that it says it closed and that never arrived.', examples: [0] }),
    openOrders: Count({ description: 'Its orders that are open now.', examples: [3] }),
    ordersToday: Count({ description: 'Its orders of this business day, open or closed.', examples: [84] }),
    rejected24h: Count({
      description: 'Orders of it that were rejected in the last 24 hours, among the last 1,000 rejected records.',
      examples: [0],
    }),
    staleShare24h: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description:
        'Part of the versions of orders that it pushed in the last 24 hours to the process that answers, since that began, which was ' +
        '`stale`, older than what was stored. Null where it pushed none.',
      examples: [0.02],
    }),
    medianDelayMs: Nullable(Count({ minimum: Number.MIN_SAFE_INTEGER }), {
      description:
        'Between `updatedAt` of an order, by the till’s clock, and its acceptance: the middle one of the last 24 hours, among the ' +
        'last 1,000 orders of the location. Less than 0 when the till’s clock is ahead.',
      examples: [850],
    }),
    clockAheadMs: Nullable(Count({ minimum: 0 }), {
      description: 'By how much its clock was at least ahead when it pushed one of these orders; 0 when none shows it.',
      examples: [0],
    }),
    silentSince: moment(
      'When its last order was accepted, where that is longer ago than any pause between two of the last 24 hours (at least 15 ' +
        'minutes; 2 hours while there are fewer than five), and it has not closed with a Z report since. Null otherwise; of a till ' +
        'that makes no Z reports within its business day only.',
    ),
  },
  { ...closed, title: 'DeviceState' },
)

export const DeviceList = Type.Object(
  {
    data: Type.Array(DeviceState, { description: 'By name, those that are idle or retired last.' }),
    meta: Type.Object(
      {
        businessDay: Type.String({ format: 'date', description: 'Business day of the moment.' }),
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
