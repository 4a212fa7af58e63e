import type { BusinessDay } from '../../../modules/figures/schemas/business-days.ts'
import type { BookAccountsVersion } from '../../../modules/books/schemas/books-accounts.ts'
import type { Checkpoint } from '../../../modules/proofs/schemas/checkpoints.ts'
import type { Closing } from '../../../modules/proofs/schemas/closings.ts'
import type { BookBatch } from '../../../modules/books/schemas/books.ts'
import type { DisabledWebhook } from '../../contract/webhooks/disabled.ts'
import type { EventType } from '../../schemas/events.ts'
import type { CatalogModifierGroup, CatalogPayment, CatalogProduct, CatalogTax } from '../../contract/catalog/schema.ts'
import type { Location } from '../../contract/location/schema.ts'
import type { Order, OrderItem } from '../../contract/orders/schema.ts'
import type { SourceDifference } from '../../../modules/sources/schemas/sources.ts'
import type { Report } from '../../contract/reports/schema.ts'

/** Makes an id that is recognised as fake: every id of the samples ends alike. */
const id = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

const at = (time: string) => `2026-03-14T${time}.000Z`

/** The moment that the samples are about. */
export const sampleTime = at('12:34:56')

const tax = { taxName: 'TVA 10 %', taxRate: 0.1, taxAmount: 2.18, taxCatalogId: id(31) }

const item: OrderItem = {
  description: 'Entrecôte 300 g',
  quantity: 1,
  weight: null,
  unitPrice: 24,
  total: 24,
  category: 'Plats',
  subCategory: 'Viandes',
  isCanceled: false,
  cancelReason: null,
  tier: 'Sur place',
  isTransferred: false,
  transferReason: null,
  discountsApplied: [],
  modifiers: [{ modifierGroupId: id(41), modifierId: id(42), name: 'Saignant' }],
  stockImpactIndicator: true,
  tax,
  itemCatalogId: id(51),
  isLoss: false,
  lossReason: null,
  comboParentId: null,
}

function order(locationId: string): Order {
  return {
    id: id(1),
    deviceId: id(61),
    createdAt: at('12:05:00'),
    updatedAt: at('12:50:00'),
    locationId,
    reportId: null,
    openedAt: at('12:05:00'),
    closedAt: at('12:50:00'),
    guests: 1,
    orderPlace: '12',
    orderNumber: 'TEST-1',
    operatorId: id(71),
    operatorName: 'Camille',
    total: 24,
    totalTax: 2.18,
    totalDiscount: 0,
    customerId: '',
    isCanceled: false,
    isTransferred: false,
    transferReason: null,
    cancelReason: null,
    items: [item],
    menus: [],
    payments: [{ paymentAmount: 24, paymentName: 'Carte bancaire', paymentCatalogId: id(81) }],
    tips: null,
    channel: 'pos',
    serviceType: 'eat_in',
    isTraining: false,
    source: 'sample',
    externalLocationId: null,
    externalOrderId: null,
  }
}

const openOrder = (locationId: string): Order => ({ ...order(locationId), closedAt: null, payments: [] })

const canceledOrder = (locationId: string): Order => ({
  ...openOrder(locationId),
  isCanceled: true,
  cancelReason: 'Erreur de saisie',
  closedAt: at('12:50:00'),
})

const transferredOrder = (locationId: string): Order => ({
  ...openOrder(locationId),
  isTransferred: true,
  transferReason: 'Changement de table',
})

function location(locationId: string): Location {
  return {
    id: locationId,
    name: 'Bistro Exemple',
    address: '1 rue de l’Exemple',
    siret: '98297498200018',
    city: 'Paris',
    country: 'France',
    naf: '56.10A',
    phone: '+33100000000',
    text: 'Données fictives',
    tva: 'FR22982974982',
    url: 'https://bistro.example',
    zip: '75011',
    deviceList: [{ id: id(61), name: 'Caisse 1', model: 'till' }],
  }
}

function report(locationId: string): Report {
  const place = location(locationId)
  return {
    id: id(2),
    createdAt: at('23:05:00'),
    updatedAt: at('23:05:00'),
    locationId,
    startedAt: at('11:00:00'),
    finalizedAt: at('23:05:00'),
    deviceName: 'Caisse 1',
    deviceIdentifier: null,
    reportNumber: 1,
    guestsNumber: 1,
    totalSales: 2400,
    reportHeaderInfo: {
      headerAddress: place.address,
      headerCity: place.city,
      headerCountry: place.country,
      headerName: place.name,
      headerPhone: place.phone,
      headerNaf: place.naf,
      headerSiret: place.siret,
      headerText: place.text,
      headerTva: place.tva,
      headerUrl: place.url,
      headerZip: place.zip,
    },
    reportProducts: [
      {
        productName: item.description,
        productSales: 2400,
        category: item.category,
        subCategory: item.subCategory,
        productQuantity: 1,
        productCatalogId: item.itemCatalogId,
      },
    ],
    reportClerksShift: [{ name: 'Camille', id: id(71), clockInDate: at('11:00:00'), clockOutDate: at('23:05:00') }],
    clerkName: 'Camille',
    clerkId: id(71),
    reportDiscounts: [],
    reportTaxes: [{ taxName: tax.taxName, taxRate: 1000, taxAmount: 218, taxableAmount: 2182 }],
    reportPayments: [{ paymentName: 'Carte bancaire', paymentAmount: 2400 }],
    initialCashBalance: 15_000,
    finalCashBalance: 15_000,
    reportEntries: [{ entryName: 'Fond de caisse', entryAmount: 15_000, entryType: 'opening_float' }],
    orders: [id(1)],
  }
}

const day: BusinessDay = {
  date: '2026-03-14',
  status: 'complete',
  revision: 0,
  isComplete: true,
  startsAt: at('04:00:00'),
  endsAt: '2026-03-15T04:00:00.000Z',
  balanced: true,
  sales: { orders: 1, salesInclTax: 2400, tax: 218, salesExclTax: 2182 },
  reports: [
    { reportId: id(2), reportNumber: 1, deviceName: 'Caisse 1', finalizedAt: at('23:05:00'), verdict: 'balanced' },
  ],
  missingReports: [],
  orders: { missing: [], open: [], extra: [], unreported: 0 },
  waitingFor: [],
}

const disabledWebhook: DisabledWebhook = {
  id: id(91),
  reason: 'gone',
  disabledAt: sampleTime,
  failingSince: sampleTime,
}

const accounts: BookAccountsVersion = {
  version: 3,
  own: { layout: 'direct', payments: [{ name: 'Livréo', account: '467100', accountName: 'Livréo' }] },
}

const noAuxiliary = { auxiliary: null, auxiliaryName: null }

const batch: BookBatch = {
  number: 1,
  createdAt: sampleTime,
  until: '2026-03-14',
  accountsVersion: 3,
  sequence: 48211,
  currency: 'EUR',
  timeZone: 'Europe/Paris',
  siren: '732829320',
  entries: [
    {
      id: report(id(1)).id,
      source: {
        type: 'report',
        reportId: report(id(1)).id,
        reportNumber: 358,
        deviceName: 'Caisse 1',
        sequence: 48210,
      },
      state: 'issued',
      journal: { code: 'CA', name: 'Journal de caisse' },
      date: '2026-03-14',
      pieceRef: 'Z358',
      pieceDate: '2026-03-14',
      currency: 'EUR',
      lines: [
        {
          account: '511500',
          accountName: 'Cartes bancaires à encaisser',
          ...noAuxiliary,
          label: 'Encaissement Carte bancaire',
          debit: 2400,
          credit: 0,
          role: 'payment',
          key: 'Carte bancaire',
        },
        {
          account: '706100',
          accountName: 'Ventes 10 %',
          ...noAuxiliary,
          label: 'Ventes 10 %',
          debit: 0,
          credit: 2182,
          role: 'revenue',
          key: '1000',
        },
        {
          account: '44571100',
          accountName: 'TVA collectée 10 %',
          ...noAuxiliary,
          label: 'TVA 10 %',
          debit: 0,
          credit: 218,
          role: 'tax',
          key: '1000',
        },
      ],
      totals: { debit: 2400, credit: 2400 },
      accountsVersion: 3,
      hash: '0'.repeat(64),
      number: 'CA-2026-000001',
      batch: 1,
      reverses: null,
      warnings: [],
    },
  ],
  accepted: [],
  skipped: [],
  hasMore: false,
}

const closing: Closing = {
  id: id(95),
  period: 'day',
  number: 1,
  date: '2026-03-14',
  createdAt: sampleTime,
  fromSequence: 1,
  toSequence: 48211,
  entries: 48211,
  first: null,
  last: null,
  currency: 'EUR',
  timeZone: 'Europe/Paris',
  dayStartsAt: '05:00',
  totals: {
    orders: 1,
    salesInclTax: 2400,
    tax: 218,
    salesExclTax: 2182,
    discounts: 0,
    tips: 0,
    refunds: 0,
    canceledSales: 0,
  },
  taxes: [{ rate: 1000, taxable: 2182, tax: 218 }],
  payments: [{ name: 'Carte bancaire', amount: 2400 }],
  days: [{ date: '2026-03-14', salesInclTax: 2400, tax: 218 }],
  reports: [{ id: id(2), number: 1, deviceName: 'Caisse 1', totalSales: 2400 }],
  others: { payments: { names: 0, amount: 0 }, days: { days: 0, salesInclTax: 0, tax: 0 }, reports: 0 },
  perpetual: { orders: 1, salesInclTax: 2400, tax: 218 },
  complete: true,
  waitingFor: [],
  completeUntil: '2026-03-15T03:00:00.000Z',
  previous: null,
}

const origin = `tillgate.example/${id(90)}/5f0c21ab`
const root = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='

const checkpoint: Checkpoint = {
  size: 48211,
  sequence: 48211,
  root,
  origin,
  createdAt: sampleTime,
  note: `${origin}\n48211\n${root}\n\n— ${origin} …\n`,
  keys: [`${origin}+b0a1c2d3+AT8…`],
  rotation: null,
}

const products: CatalogProduct[] = [
  {
    id: item.itemCatalogId,
    name: item.description,
    category: item.category,
    categoryId: id(52),
    subCategories: [{ name: item.subCategory, id: id(53) }],
    priceList: [{ priceTypeId: 1, priceTypeName: 'Sur place', unitPrice: 2400, taxRate: 1000 }],
  },
]

const modifiers: CatalogModifierGroup[] = [
  { id: id(41), name: 'Cuisson', options: [{ id: id(42), name: 'Saignant', price: 0 }] },
]

const payments: CatalogPayment[] = [{ id: id(81), name: 'Carte bancaire', enabled: true }]

const taxes: CatalogTax[] = [{ id: id(31), name: 'TVA 10 %', percentage: 1000 }]

const sourceDifference: SourceDifference = {
  id: id(95),
  sourceId: id(96),
  source: 'square',
  account: 'L123',
  date: '2026-03-14',
  here: 120_050,
  there: 122_050,
  difference: -2_000,
}

const samples: Record<EventType, (locationId: string) => unknown> = {
  'order.created': openOrder,
  'order.updated': openOrder,
  'order.paid': order,
  'order.canceled': canceledOrder,
  'order.transferred': transferredOrder,
  'report.created': report,
  'report.updated': report,
  'catalog.products.updated': () => products,
  'catalog.modifiers.updated': () => modifiers,
  'catalog.payments.updated': () => payments,
  'catalog.taxes.updated': () => taxes,
  'location.updated': location,
  'day.completed': () => day,
  'day.revised': () => ({ ...day, status: 'revised', revision: 1 }),
  'accounts.updated': () => accounts,
  'batch.created': () => batch,
  'closing.created': () => closing,
  'checkpoint.created': () => checkpoint,
  'webhook.disabled': () => disabledWebhook,
  'source.differs': () => sourceDifference,
}

/** Makes fake `data` of an event, of the schema of that event, for test deliveries and the list of event types. */
export function sampleData(type: EventType, locationId: string): unknown {
  return samples[type](locationId)
}
