import { Type, type Static } from 'typebox'
import { codesOf, reportVerdicts } from '../../../core/outcomes.ts'
import { DayRangeQuery } from '../../../core/schemas/day-ranges.ts'
import { PageMeta, PageQuery } from '../../../core/contract/paging/schema.ts'
import { Choice, closed, Count, Datetime, Minor, Uuid } from '../../../core/contract/scalars.ts'

const orderCounts = Type.Object(
  {
    counted: Count({ description: 'Number of counted orders.' }),
    canceled: Count({ description: 'Number of orders of the report that were canceled or moved to another order.' }),
    training: Count({ description: 'Number of training orders of the report.' }),
    open: Count({ description: 'Number of open orders of the report.' }),
    missing: Count({ description: 'Number of orders of the report that have not arrived.' }),
    extra: Count({ description: 'Number of orders with the id of the report that it does not list.' }),
    elsewhere: Count({ description: 'Number of orders of the report with the id of another report.' }),
  },
  { ...closed, description: 'Number of orders by their relation to the report; the reconciliation has their ids.' },
)

export const ReportVerdict = () =>
  Choice(codesOf(reportVerdicts), {
    description:
      '`balanced`: all figures agree. `waiting`: an order of the report is missing or open. `unbalanced`: all orders are stored, but figures differ.',
  })

/** A Z report and its check in short (docs/modules/reconciliation.md). */
const ReportCheck = Type.Object(
  {
    reportId: Uuid(),
    reportNumber: Count({ examples: [358] }),
    deviceName: Type.String({ examples: ['Caisse 1'] }),
    businessDay: Type.String({
      description: 'Business day with the highest sales of the report; the day of its closing if it has no orders.',
      examples: ['2026-03-14'],
    }),
    severalDays: Type.Boolean({
      description: 'Whether its orders were closed on several business days.',
      examples: [false],
    }),
    startedAt: Datetime(),
    finalizedAt: Datetime(),
    verdict: ReportVerdict(),
    orders: orderCounts,
    differences: Count({ description: 'Number of figures that differ.', examples: [1] }),
    totalSales: Minor({ description: 'Total of the report, in minor units.', examples: [415000] }),
    computedSales: Minor({ description: 'Sum of the orders.', examples: [414000] }),
    salesDifference: Minor({ description: '`totalSales` − `computedSales`.', examples: [1000] }),
  },
  { ...closed, title: 'ReportCheck' },
)

const MissingReport = Type.Object(
  {
    deviceName: Type.String({ examples: ['Caisse 1'] }),
    reportNumber: Count({ examples: [357] }),
    previousDay: Type.String({ description: 'Business day of the previous report.', examples: ['2026-03-12'] }),
    nextDay: Type.String({ description: 'Business day of the following report.', examples: ['2026-03-14'] }),
    nextReportId: Uuid({ description: 'The following report, which may be outside the requested range.' }),
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
          { ...closed, description: 'Number of reports per verdict on these days, regardless of the filter.' },
        ),
        missingReports: Type.Array(MissingReport, {
          description:
            'Missing report numbers of all these days, regardless of page and filter, as in ' +
            '`GET /v1/business-days/`, each once; at most 100 of each gap.',
        }),
        sequence: Count({ description: 'Journal sequence of this state.', examples: [48211] }),
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
    verdict: Type.Optional(Choice(codesOf(reportVerdicts), { description: 'Only reports with this verdict.' })),
    sort: Type.Optional(
      Choice(['finalizedAt', '-finalizedAt'] as const, {
        default: 'finalizedAt',
        description: 'In order of closing, then id, or newest first.',
      }),
    ),
  },
  closed,
)

export type ReportVerdict = keyof typeof reportVerdicts
export type ReportCheckPage = Static<typeof ReportCheckPage>
