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

/** Describes a business day of a location: what its tills closed, and whether all of it is here. */
export const BusinessDay = Type.Object(
  {
    date: day('The local date on which it begins.'),
    status: Choice(codesOf(dayStatuses), {
      description:
        '`open`: not over, or a device has not closed it. `closed`: all have, and something is missing. `complete`: nothing is. ' +
        '`revised`: it was complete, and changed after that.',
    }),
    revision: Count({ description: 'How often it changed since it was complete for the first time.', examples: [0] }),
    isComplete: Type.Boolean({
      description: 'Over, closed by every device, and nothing missing, as it stands now.',
    }),
    startsAt: Datetime(),
    endsAt: Datetime({ description: 'The first moment of the next business day.' }),
    balanced: Nullable(Type.Boolean(), {
      description: 'Every Z report agrees with its orders; null while there is none.',
      examples: [true],
    }),
    sales: Type.Object(
      {
        orders: Count({ description: 'Counted orders that were closed on the day.', examples: [113] }),
        salesInclTax: Minor({ examples: [415000] }),
        tax: Minor({ examples: [37700] }),
        salesExclTax: Minor({ examples: [377300] }),
      },
      { ...closed, description: 'As `GET /v1/sales/` has them, in hundredths.' },
    ),
    reports: Type.Array(ReportOfDay, { description: 'Z reports of the day, as the tills closed them.' }),
    missingReports: Type.Array(
      Type.Object({ deviceName: Type.String(), reportNumber: Count({ examples: [357] }) }, closed),
      { description: 'Numbers of Z reports that were passed over.' },
    ),
    orders: Type.Object(
      {
        missing: ids('Named by a Z report, and never arrived; 100 of each report at most.'),
        open: ids('Named by a Z report, and still open.'),
        extra: ids('Carry the id of a Z report that does not name them.'),
        unreported: Count({ description: 'Counted orders of the day that are in no Z report.', examples: [0] }),
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
    data: Type.Array(BusinessDay, { description: 'Every day that was asked for, oldest first.' }),
    meta: Type.Object(
      {
        since: day('First business day.'),
        until: day('Last business day.'),
        currency: Type.String({ description: 'ISO 4217; amounts are in hundredths of it.', examples: ['EUR'] }),
        timeZone: Type.String({ examples: ['Europe/Paris'] }),
        dayStartsAt: Type.String({ examples: ['05:00'] }),
        sequence: Count({ description: 'Number of the journal at which it holds.', examples: [48211] }),
        completeUntil: Nullable(Datetime(), {
          description: 'Everything that was closed until then has arrived; null while nobody can tell.',
        }),
        closesDays: Type.Boolean({
          description:
            'Whether a Z report or the status of a till ever closed something here. While false no day with sales is complete, and nothing is missing of it.',
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
    date: day('The local date on which it begins.'),
    revision: Count({ description: 'How often it changed since it was complete for the first time.', examples: [1] }),
    isComplete: Type.Boolean({ description: 'Whether nothing is missing as it stands now.' }),
    balanced: Nullable(Type.Boolean(), { description: 'Whether every Z report agrees with its orders now.' }),
    completedAt: Datetime({ description: 'When the journal said that the day is complete for the first time.' }),
    completedSequence: Count({ description: 'The number of that entry.', examples: [48211] }),
    revisedAt: Nullable(Datetime(), {
      description: 'When the journal said last that it changed; null for some seconds after a change.',
    }),
    before: SalesOfDay,
    now: SalesOfDay,
    orders: Type.Optional(
      Type.Array(ChangedOrder, {
        description: 'With `orders`: those of the day that changed or came after it was complete; 100 at most.',
      }),
    ),
  },
  { ...closed, title: 'DayRevision' },
)

export const DayRevisionList = Type.Object(
  {
    data: Type.Array(DayRevision, { description: 'The days that changed, oldest first.' }),
    meta: Type.Object(
      {
        since: day('First business day.'),
        until: day('Last business day.'),
        currency: Type.String({ description: 'ISO 4217; amounts are in hundredths of it.', examples: ['EUR'] }),
        sequence: Count({ description: 'Number of the journal at which it holds.', examples: [48211] }),
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
