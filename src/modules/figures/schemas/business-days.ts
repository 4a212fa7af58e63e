import { Type, type Static } from 'typebox'
import { codesOf, dayStatuses } from '../../../core/outcomes.ts'
import { ChangedOrder } from './changed-orders.ts'
import { ReportVerdict } from './report-checks.ts'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })

const ids = (description: string) => Type.Array(Uuid(), { description })

const ReportOfDay = Type.Object(
  {
    reportId: Uuid(),
    reportNumber: Count({ examples: [358] }),
    deviceName: Type.String({ examples: ['Caisse 1'] }),
    finalizedAt: Datetime(),
    verdict: ReportVerdict(),
  },
  { ...closed, title: 'ReportOfDay' },
)

/** Describes a business day of a location: the closings of its tills, and whether all data has arrived. */
export const BusinessDay = Type.Object(
  {
    date: day('Local date on which it begins.'),
    status: Choice(codesOf(dayStatuses), {
      description:
        '`open`: not ended, or not closed by every active device. `closed`: closed by all of them, but something is missing. `complete`: nothing is missing. ' +
        '`revised`: changed after it was complete.',
    }),
    revision: Count({ description: 'Number of changes since it was first complete.', examples: [0] }),
    isComplete: Type.Boolean({
      description: 'Whether it has ended, every active device has closed it, and nothing is missing now.',
    }),
    startsAt: Datetime(),
    endsAt: Datetime({ description: 'Start of the next business day.' }),
    balanced: Nullable(Type.Boolean(), {
      description: 'Whether every Z report agrees with its orders; null without Z reports.',
      examples: [true],
    }),
    sales: Type.Object(
      {
        orders: Count({ description: 'Number of counted orders closed on the day.', examples: [113] }),
        salesInclTax: Minor({ examples: [415000] }),
        tax: Minor({ examples: [37700] }),
        salesExclTax: Minor({ examples: [377300] }),
      },
      { ...closed, description: 'Sales as in `GET /v1/sales/`, in minor units.' },
    ),
    reports: Type.Array(ReportOfDay, { description: 'Z reports of the day, in order of closing.' }),
    missingReports: Type.Array(
      Type.Object({ deviceName: Type.String(), reportNumber: Count({ examples: [357] }) }, closed),
      { description: 'Missing numbers of Z reports; at most 100 of each gap.' },
    ),
    orders: Type.Object(
      {
        missing: ids('Orders of a Z report that have not arrived; at most 100 of each report.'),
        open: ids('Orders of a Z report that are still open; at most 100 of each report.'),
        extra: ids('Orders with the id of a Z report that does not list them; at most 100 of each report.'),
        unreported: Count({
          description: 'Counted orders of the day that are in no Z report, of devices that have made one.',
          examples: [0],
        }),
      },
      closed,
    ),
    waitingFor: Type.Array(Type.Object({ deviceId: Nullable(Uuid()), deviceName: Nullable(Type.String()) }, closed), {
      description: 'Devices that have not closed the day.',
    }),
  },
  { ...closed, title: 'BusinessDay' },
)

export const BusinessDayList = Type.Object(
  {
    data: Type.Array(BusinessDay, { description: 'Requested days, oldest first.' }),
    meta: Type.Object(
      {
        since: day('First business day.'),
        until: day('Last business day.'),
        currency: Type.String({ description: 'ISO 4217; amounts are in its minor units.', examples: ['EUR'] }),
        timeZone: Type.String({ examples: ['Europe/Paris'] }),
        dayStartsAt: Type.String({ examples: ['05:00'] }),
        sequence: Count({ description: 'Journal sequence of this state.', examples: [48211] }),
        completeUntil: Nullable(Datetime(), {
          description: 'Everything that active tills closed until this time has arrived; null while unknown.',
        }),
        closesDays: Type.Boolean({
          description:
            'Whether a Z report or a till status has ever closed a day at this location. If false, days with sales are neither complete nor missing anything.',
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'BusinessDayList' },
)

const SalesOfDay = BusinessDay.properties.sales

/** Describes a business day that changed after it was complete. */
const DayRevision = Type.Object(
  {
    date: day('Local date on which it begins.'),
    revision: Count({ description: 'Number of changes since it was first complete.', examples: [1] }),
    isComplete: Type.Boolean({ description: 'Whether nothing is missing now.' }),
    balanced: Nullable(Type.Boolean(), { description: 'Whether every Z report agrees with its orders now.' }),
    completedAt: Datetime({ description: 'Time at which the day was first complete.' }),
    completedSequence: Count({
      description: 'Journal sequence at which the day was first complete.',
      examples: [48211],
    }),
    revisedAt: Nullable(Datetime(), {
      description: 'Time of the last change in the journal; null for some seconds after a change.',
    }),
    before: SalesOfDay,
    now: SalesOfDay,
    orders: Type.Optional(
      Type.Array(ChangedOrder, {
        description: 'With `orders`: orders of the day that changed or arrived after it was complete; at most 100.',
      }),
    ),
  },
  { ...closed, title: 'DayRevision' },
)

export const DayRevisionList = Type.Object(
  {
    data: Type.Array(DayRevision, { description: 'Changed business days, oldest first.' }),
    meta: Type.Object(
      {
        since: day('First business day.'),
        until: day('Last business day.'),
        currency: Type.String({ description: 'ISO 4217; amounts are in its minor units.', examples: ['EUR'] }),
        sequence: Count({ description: 'Journal sequence of this state.', examples: [48211] }),
      },
      closed,
    ),
  },
  { ...closed, title: 'DayRevisionList' },
)

export type DayRevision = Static<typeof DayRevision>
export type DayRevisionList = Static<typeof DayRevisionList>
export type BusinessDay = Static<typeof BusinessDay>
export type BusinessDayList = Static<typeof BusinessDayList>
