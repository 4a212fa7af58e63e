import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Minor, Nullable, Uuid } from '../scalars.ts'

const ReportHeader = Type.Object(
  {
    headerAddress: Type.String(),
    headerCity: Type.String(),
    headerCountry: Type.String(),
    headerName: Type.String(),
    headerPhone: Type.String(),
    headerNaf: Type.String(),
    headerSiret: Type.String(),
    headerText: Type.String(),
    headerTva: Type.String(),
    headerUrl: Type.String(),
    headerZip: Type.String(),
  },
  { ...closed, title: 'ReportHeader', description: 'The location at the time the report was closed.' },
)

const ReportProduct = Type.Object(
  {
    productName: Type.String({ examples: ['Entrecôte 300 g'] }),
    productSales: Minor({ description: 'In minor units, tax included.' }),
    category: Type.String({ examples: ['Plats'] }),
    subCategory: Type.String({ examples: ['Viandes'] }),
    productQuantity: Count(),
    productCatalogId: Uuid(),
  },
  { ...closed, title: 'ReportProduct' },
)

const ClerkShift = Type.Object(
  { name: Type.String({ examples: ['Camille'] }), id: Uuid(), clockInDate: Datetime(), clockOutDate: Datetime() },
  { ...closed, title: 'ClerkShift' },
)

const ReportDiscount = Type.Object(
  {
    discountName: Type.String({ examples: ['Happy hour'] }),
    discountValue: Minor({ description: 'Amount deducted, in minor units.' }),
    discountCatalogId: Uuid(),
  },
  { ...closed, title: 'ReportDiscount' },
)

const ReportTax = Type.Object(
  {
    taxName: Type.String({ examples: ['TVA 10 %'] }),
    taxRate: Minor({ description: 'Hundredths of a percent: 1000 is 10 %.', examples: [1000] }),
    taxAmount: Minor({ description: 'Amount of tax, in minor units.', examples: [114] }),
    taxableAmount: Minor({ description: 'In minor units, tax not included.', examples: [1136] }),
  },
  { ...closed, title: 'ReportTax' },
)

const ReportPayment = Type.Object(
  {
    paymentName: Type.String({ examples: ['Carte bancaire'] }),
    paymentAmount: Minor({ description: 'Amount paid, in minor units.' }),
  },
  { ...closed, title: 'ReportPayment' },
)

const ReportEntry = Type.Object(
  {
    entryName: Type.String({ examples: ['Fond de caisse'] }),
    entryAmount: Minor({ description: 'In minor units; may be negative.', examples: [15000] }),
    entryType: Type.String({
      description:
        'Open set: opening_float, cash_in, cash_out, bank_deposit, expense, tip_out, refund, no_sale, count_overage, ' +
        'count_shortage, correction, or empty (decision 0009).',
      examples: ['opening_float'],
    }),
  },
  { ...closed, title: 'ReportEntry' },
)

/** A Z report of one device. All amounts are integers in minor units (decision 0008). */
export const Report = Type.Object(
  {
    id: Uuid(),
    createdAt: Datetime({ description: 'Creation time set by the till, UTC. The list is ordered by it.' }),
    updatedAt: Datetime({
      description: 'Time of the last change set by the till, UTC. It identifies the version of the report.',
    }),
    locationId: Uuid(),
    startedAt: Datetime(),
    finalizedAt: Datetime(),
    deviceName: Type.String({ examples: ['Caisse 1'] }),
    deviceIdentifier: Nullable(Type.String(), { examples: [null] }),
    reportNumber: Count({ examples: [358] }),
    guestsNumber: Count(),
    totalSales: Minor({ description: 'In minor units, tax included.' }),
    reportHeaderInfo: ReportHeader,
    reportProducts: Type.Array(ReportProduct),
    reportClerksShift: Type.Array(ClerkShift),
    clerkName: Nullable(Type.String(), { examples: ['Camille'] }),
    clerkId: Nullable(Type.String(), { examples: [null] }),
    reportDiscounts: Type.Array(ReportDiscount),
    reportTaxes: Type.Array(ReportTax),
    reportPayments: Type.Array(ReportPayment),
    initialCashBalance: Minor({ description: 'Cash in the drawer at the start, in minor units.', examples: [15000] }),
    finalCashBalance: Minor({ description: 'Cash in the drawer at closing, in minor units.', examples: [48350] }),
    reportEntries: Type.Array(ReportEntry),
    orders: Type.Array(Uuid(), { description: 'Ids of the orders in the report.' }),
  },
  { ...closed, title: 'Report' },
)

export type Report = Static<typeof Report>
