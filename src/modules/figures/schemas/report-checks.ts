import { Type, type Static } from 'typebox'
import { codesOf, reportVerdicts } from '../../../core/outcomes.ts'
import { DayRangeQuery } from '../../../core/schemas/day-ranges.ts'
import { PageMeta, PageQuery } from '../../../core/contract/paging/schema.ts'
import { Choice, closed, Count, Datetime, Minor, Uuid } from '../../../core/contract/scalars.ts'

const orderCounts = Type.Object(
  {
    counted: Count({ description: 'Number of orders that are added up.' }),
    canceled: Count({ description: 'Named by the report, canceled or moved to another order.' }),
    training: Count({ description: 'Named by the report, training orders.' }),
    open: Count({ description: 'Named by the report, and still open.' }),
    missing: Count({ description: 'Named by the report, and never arrived.' }),
    extra: Count({ description: 'Carry the id of the report, which does not name them.' }),
    elsewhere: Count({ description: 'Named by the report, and carry the id of another.' }),
  },
  { ...closed, description: 'Number of orders by how each stands to the report; its reconciliation has their ids.' },
)

export const ReportVerdict = () =>
  Choice(codesOf(reportVerdicts), {
    description:
      '`balanced`: every figure agrees. `waiting`: an order that it names is missing or open. `unbalanced`: all are here, and it does not agree.',
  })

/** A Z report beside its orders, in short (docs/reconciliation.md). */
const ReportCheck = Type.Object(
  {
    reportId: Uuid(),
    reportNumber: Count({ examples: [358] }),
    deviceName: Type.String({ examples: ['Caisse 1'] }),
    businessDay: Type.String({
      description: 'The one on which most of it was taken; that of its own closing when it has no orders.',
      examples: ['2026-03-14'],
    }),
    severalDays: Type.Boolean({ description: 'Its orders were closed on several business days.', examples: [false] }),
    startedAt: Datetime(),
    finalizedAt: Datetime(),
    verdict: ReportVerdict(),
    orders: orderCounts,
    differences: Count({ description: 'Figures that do not agree.', examples: [1] }),
    totalSales: Minor({ description: 'Hundredths: what the report states.', examples: [415000] }),
    computedSales: Minor({ description: 'What its orders add up to.', examples: [414000] }),
    salesDifference: Minor({ description: '`totalSales` − `computedSales`.', examples: [1000] }),
  },
  { ...closed, title: 'ReportCheck' },
)

const MissingReport = Type.Object(
  {
    deviceName: Type.String({ examples: ['Caisse 1'] }),
    reportNumber: Count({ examples: [357] }),
    previousDay: Type.String({ description: 'Business day of the report before it.', examples: ['2026-03-12'] }),
    nextDay: Type.String({ description: 'Business day of the report after it.', examples: ['2026-03-14'] }),
    nextReportId: Uuid({ description: 'The report after it, which may be of a later day than those asked for.' }),
  },
  { ...closed, title: 'MissingReport' },
)

export const ReportCheckPage = Type.Object(
  {
    data: Type.Array(ReportCheck),
    meta: Type.Object(
      {
        ...PageMeta.properties,
        since: Type.String({ description: 'First business day.', examples: ['2026-03-01'] }),
        until: Type.String({ description: 'Last business day.', examples: ['2026-03-31'] }),
        verdicts: Type.Object(
          { balanced: Count(), unbalanced: Count(), waiting: Count() },
          { ...closed, description: 'Reports of each verdict on these days, whichever was asked for.' },
        ),
        missingReports: Type.Array(MissingReport, {
          description:
            'Numbers that were passed over, of all these days, whichever page and verdict was asked for: those that ' +
            '`GET /v1/business-days/` tells of them, each once.',
        }),
        sequence: Count({ description: 'Number of the journal at which it holds.', examples: [48211] }),
      },
      closed,
    ),
  },
  { ...closed, title: 'ReportCheckPage' },
)

export const ReportCheckQuery = Type.Object(
  {
    ...PageQuery,
    ...DayRangeQuery,
    verdict: Type.Optional(Choice(codesOf(reportVerdicts), { description: 'Only reports of this verdict.' })),
    sort: Type.Optional(
      Choice(['finalizedAt', '-finalizedAt'] as const, {
        default: 'finalizedAt',
        description: 'As the tills closed them (ties by id), or the newest first.',
      }),
    ),
  },
  closed,
)

export type ReportVerdict = keyof typeof reportVerdicts
export type ReportCheckPage = Static<typeof ReportCheckPage>
