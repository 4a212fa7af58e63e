import { Type } from 'typebox'
import { readStoredReport } from '../../../core/domain/documents/stored-documents.ts'
import { usualRules } from '../../../core/contract/money/paid.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { AtOnce } from '../../../core/projections/at-once.ts'
import type { Reconciliation as Reconciled } from '../domain/reconciliation.ts'
import { readChangedOrders } from '../projections/changed-orders.ts'
import { readOrders, reconcileInTurns } from '../projections/stored-orders.ts'
import type { Reconciliation } from '../schemas/reconciliation.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { snapshot, type Transaction } from '../../../core/store/db/database.ts'
import { whenThere } from '../../../core/store/journal/asides.ts'
import { findHead, readHistory } from '../../../core/store/journal/journal.ts'
import {
  listOrderDocuments,
  listOrdersOfReport,
  type OrderVersion,
  reportBytes,
} from '../../../core/contract/orders/rows.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { readMoneyRules } from '../../../core/contract/location/money-rules.ts'
import { reportRows } from '../../../core/contract/reports/rows.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { readFresh } from '../../../core/http/answers/freshness.ts'
import { sendDocument } from '../../../core/http/answers/replies.ts'
import { IdParams, named, operation } from '../../../core/http/reference/route-schema.ts'

/** The till's names of cash payments, and whether to leave out equal figures. */
const Query = Type.Object(
  {
    cash: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Names of cash payments, separated by commas. Replaces the kinds of payments of the location: its setting ' +
          '`paymentKinds`, the `kind` of catalog payments, and common names such as Espèces, Cash and Bar.',
        examples: ['Espèces,Liquide bar'],
      }),
    ),
    only: Type.Optional(
      Type.Literal('differences', {
        description:
          'Return only problems: `figures` that differ, and the lists of `orders` that prevent ' +
          'a balance; `counted`, `canceled` and `training` are empty.',
      }),
    ),
  },
  closed,
)

/** Leaves out equal figures (`?only=differences`): the full answer for a long day is too long to read. */
function onlyDifferences(reconciled: Reconciled): Reconciled {
  const orders = { ...reconciled.orders, counted: [], canceled: [], training: [] }
  return { ...reconciled, orders, figures: reconciled.figures.filter(({ difference }) => difference !== 0) }
}

/** Lists the orders of a report that changed after it was first accepted. Throws `DocumentsArchived`. */
async function readChanged(tx: Transaction, locationId: string, id: string, versions: readonly OrderVersion[]) {
  const [location, [first]] = [
    await findLocation(tx, locationId),
    await readHistory(tx, locationId, { of: 'reports', id }, { entries: 1_000, bytes: reportBytes }),
  ]
  const after = first?.seq ?? Number.MAX_SAFE_INTEGER
  const later = versions.filter(({ seq }) => seq > after).toSorted((a, b) => a.seq - b.seq)
  const { decimals } = moneyOf(location?.currency ?? 'EUR')
  const ids = later.map((order) => order.id)
  const changed = await readChangedOrders(tx, locationId, ids, { after, decimals })
  // An order that arrives late is not a change: until then, `missing` lists it, or nothing names it.
  return changed.filter((order) => order.versions.before !== null)
}

/** Reads a report and the data that it is compared with, in one snapshot. */
async function readReport(tx: Transaction, locationId: string, id: string) {
  const stored = (await reportRows.find(tx, locationId, [id])).get(id)
  if (!stored) throw new AppError('report_not_found', `this location has no report ${id}: check the id`)
  const report = readStoredReport(stored.document)
  const { versions, isComplete } = await listOrdersOfReport(tx, locationId, id, report.orders)
  if (!isComplete) {
    const detail = `id: the orders of this report exceed ${reportBytes / 1024 ** 2} MiB and cannot be reconciled`
    throw validationFailed([{ in: 'path', pointer: '/id', code: 'too_long', detail }])
  }
  const documents = await listOrderDocuments(
    tx,
    locationId,
    versions.map((order) => order.id),
  )
  const location = await findLocation(tx, locationId)
  const rules = location && (await readMoneyRules(tx, locationId, location))
  const changed = await whenThere(readChanged(tx, locationId, id, versions))
  return { report, documents, rules, changed: changed ?? null, sequence: (await findHead(tx, locationId))?.seq ?? 0 }
}

/** Adds the operation that compares a Z report with the sums of its orders (docs/modules/reconciliation.md). */
export function reconciliationRoutes(app: App, context: Reading & Process): void {
  const oneAtATime = new AtOnce(1)
  app.get(
    '/v1/reports/:id/reconciliation',
    {
      config: { scope: 'read', sendsCompleteUntil: true },
      schema: operation({
        tags: ['Reports'],
        operationId: 'getReportReconciliation',
        headers: ['ETag', 'CompleteUntil'],
        answer: 'Figures of the report, figures of its orders, and their differences.',
        summary: 'Reconcile a Z report with its orders',
        description:
          'Compares sales, products, taxes, payments, discounts, guests and expected cash of the report with the sums of its orders ' +
          'as currently stored. Each difference has its formula and the ' +
          'orders used. Sections that the report does not contain are not compared, and VAT may differ by rounding.',
        params: IdParams,
        query: Query,
        isNumbered: true,
        answers: { 200: named('Reconciliation') },
        problems: ['scope_missing', 'report_not_found'],
      }),
    },
    (request, reply) =>
      // The orders of a long day fill memory, so one report of a location is reconciled at a time.
      oneAtATime.run(request.key.locationId, async () => {
        const { locationId } = request.key
        const id = request.params.id.toLowerCase()
        const found = await readFresh({ ...context, replica: null }, request, reply, ({ pool }) =>
          snapshot(pool, (tx) => readReport(tx, locationId, id)),
        )
        const { report, rules = usualRules } = found
        const names = request.query.cash?.split(',').map((name) => name.trim())
        const options =
          names === undefined ? { rules } : { rules, cashPaymentNames: names.map((name) => name.normalize()) }
        const orders = await readOrders(found.documents)
        const reconciled = await reconcileInTurns(report, orders, options)
        const answer: Reconciliation = {
          reportId: report.id,
          reportNumber: report.reportNumber,
          ...(request.query.only === 'differences' ? onlyDifferences(reconciled) : reconciled),
          changed: found.changed,
        }
        return sendDocument(request, reply, Buffer.from(JSON.stringify(answer)))
      }),
  )
}
