import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../../src/core/contract/catalog/schema.ts'
import type { RecordType } from '../../src/core/schemas/ingest.ts'
import type { Location } from '../../src/core/contract/location/schema.ts'
import type { Order, OrderItem } from '../../src/core/contract/orders/schema.ts'
import type { Report } from '../../src/core/contract/reports/schema.ts'
import { minuteMs } from '../../src/core/domain/days/time-units.ts'

export type PushedRecord = { type: RecordType; data: unknown }

/** Prefixes of ids, so that a failing test shows the kind of an id. */
const heads = {
  order: '0a0a0a0a',
  report: '0b0b0b0b',
  device: '0c0c0c0c',
  operator: '0d0d0d0d',
  product: '0e0e0e0e',
  category: '0f0f0f0f',
  discount: '1a1a1a1a',
  modifier: '1b1b1b1b',
  tax: '1c1c1c1c',
  payment: '1d1d1d1d',
  menu: '1e1e1e1e',
  location: '1f1f1f1f',
} as const

/** Returns always the same UUID for the same kind and number; UUIDs ascend with `n`. */
export function idOf(kind: keyof typeof heads, n: number): string {
  return `${heads[kind]}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
}

const firstMs = Date.parse('2026-03-01T10:00:00.000Z')

/** Returns 2026-03-01T10:00Z plus `n` times seven minutes: about 205 times a day. */
export function timeOf(n: number): string {
  return new Date(firstMs + n * 7 * minuteMs).toISOString()
}

export function itemOf(n: number, changes: Partial<OrderItem> = {}): OrderItem {
  return {
    description: `Plat ${n}`,
    quantity: 1,
    weight: null,
    unitPrice: 12.5,
    total: 11,
    category: 'Plats',
    subCategory: 'Viandes',
    isCanceled: false,
    cancelReason: null,
    tier: 'Sur place',
    isTransferred: false,
    transferReason: null,
    discountsApplied: [{ discountName: 'Happy hour', discountValue: 1.5, discountCatalogId: idOf('discount', 1) }],
    modifiers: [{ modifierGroupId: idOf('modifier', 1), modifierId: idOf('modifier', 2), name: 'Saignant' }],
    stockImpactIndicator: true,
    tax: { taxName: 'TVA 10 %', taxRate: 0.1, taxAmount: 1, taxCatalogId: idOf('tax', 1) },
    itemCatalogId: idOf('product', n),
    isLoss: false,
    lossReason: null,
    comboParentId: null,
    ...changes,
  }
}

/**
 * Returns a closed and paid order with every documented field, including optional fields; always the same for the same
 * `n`.
 */
export function orderOf(locationId: string, n: number, changes: Partial<Order> = {}): Order {
  return {
    id: idOf('order', n),
    deviceId: idOf('device', 1),
    createdAt: timeOf(n),
    updatedAt: timeOf(n),
    locationId,
    reportId: idOf('report', 1),
    openedAt: timeOf(n),
    closedAt: timeOf(n),
    guests: 2,
    orderPlace: '12',
    orderNumber: String(1000 + n),
    operatorId: idOf('operator', 1),
    operatorName: 'Camille',
    total: 22,
    totalTax: 2,
    totalDiscount: 3,
    customerId: '',
    isCanceled: false,
    isTransferred: false,
    transferReason: null,
    cancelReason: null,
    items: [itemOf(1), itemOf(2, { comboParentId: idOf('menu', 1), weight: 0.25 })],
    menus: [
      {
        id: idOf('menu', 1),
        menuCatalogId: idOf('product', 9),
        name: 'Formule',
        quantity: 1,
        unitPrice: 11,
        total: 11,
      },
    ],
    payments: [{ paymentAmount: 22, paymentName: 'Carte bancaire', paymentCatalogId: idOf('payment', 1) }],
    tips: [{ amount: 2, paymentCatalogId: idOf('payment', 1), operatorId: idOf('operator', 1) }],
    channel: 'pos',
    serviceType: 'eat_in',
    isTraining: false,
    source: 'pos',
    externalLocationId: null,
    externalOrderId: null,
    ...changes,
  }
}

/** Returns an order without items, for tests that need many orders. */
export function smallOrderOf(locationId: string, n: number, changes: Partial<Order> = {}): Order {
  const empty = { items: [], menus: [], payments: [], tips: null, total: 0, totalTax: 0, totalDiscount: 0 }
  return orderOf(locationId, n, { ...empty, ...changes })
}

/** Returns version `v` of a small order, newer than earlier versions; `guests` equals the version. */
export function versionOf(locationId: string, n: number, v: number): Order {
  return smallOrderOf(locationId, n, { updatedAt: timeOf(n + v), guests: v })
}

export function reportOf(locationId: string, n: number, changes: Partial<Report> = {}): Report {
  const of = (name: string) => `${name} ${n}`
  return {
    id: idOf('report', n),
    createdAt: timeOf(n),
    updatedAt: timeOf(n),
    locationId,
    startedAt: timeOf(n),
    finalizedAt: timeOf(n + 1),
    deviceName: 'Caisse 1',
    deviceIdentifier: null,
    reportNumber: n,
    guestsNumber: 2,
    totalSales: 2200,
    reportHeaderInfo: {
      headerAddress: of('address'),
      headerCity: 'Paris',
      headerCountry: 'France',
      headerName: 'Bistro',
      headerPhone: '',
      headerNaf: '56.10A',
      headerSiret: '98297498200018',
      headerText: '',
      headerTva: 'FR22982974982',
      headerUrl: '',
      headerZip: '75011',
    },
    reportProducts: [
      {
        productName: 'Plat 1',
        productSales: 2200,
        category: 'Plats',
        subCategory: 'Viandes',
        productQuantity: 2,
        productCatalogId: idOf('product', 1),
      },
    ],
    reportClerksShift: [
      { name: 'Camille', id: idOf('operator', 1), clockInDate: timeOf(n), clockOutDate: timeOf(n + 1) },
    ],
    clerkName: 'Camille',
    clerkId: null,
    reportDiscounts: [{ discountName: 'Happy hour', discountValue: 300, discountCatalogId: idOf('discount', 1) }],
    reportTaxes: [{ taxName: 'TVA 10 %', taxRate: 1000, taxAmount: 200, taxableAmount: 2000 }],
    reportPayments: [{ paymentName: 'Carte bancaire', paymentAmount: 2200 }],
    initialCashBalance: 15000,
    finalCashBalance: 15000,
    reportEntries: [
      { entryName: 'Fond de caisse', entryAmount: 15000, entryType: 'opening_float' },
      { entryName: 'Sortie', entryAmount: -500, entryType: '' },
    ],
    orders: [idOf('order', 1), idOf('order', 2)],
    ...changes,
  }
}

export function locationOf(locationId: string, changes: Partial<Location> = {}): Location {
  return {
    id: locationId,
    name: 'Bistro Exemple',
    address: '1 rue de l’Exemple',
    siret: '98297498200018',
    city: 'Paris',
    country: 'France',
    naf: '56.10A',
    phone: '+33100000000',
    text: 'Merci de votre visite',
    tva: 'FR22982974982',
    url: 'https://bistro.example',
    zip: '75011',
    deviceList: [{ id: idOf('device', 1), name: 'Caisse 1', model: 'till' }],
    ...changes,
  }
}

export function productsOf(count = 2): CatalogProduct[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf('product', i + 1),
    name: `Plat ${i + 1}`,
    category: 'Plats',
    categoryId: idOf('category', 1),
    subCategories: [{ name: 'Viandes', id: idOf('category', 2) }],
    priceList: [{ priceTypeId: 1, priceTypeName: 'Sur place', unitPrice: 1250, taxRate: 1000 }],
  }))
}

export const modifiers: CatalogModifierGroup[] = [
  {
    id: idOf('modifier', 1),
    name: 'Cuisson',
    options: [
      { id: idOf('modifier', 2), name: 'Saignant', price: 0 },
      { id: idOf('modifier', 3), name: 'À point', price: 50 },
    ],
  },
]

export const payments: CatalogPayment[] = [{ id: idOf('payment', 1), name: 'Carte bancaire', enabled: true }]

export const taxes: CatalogTax[] = [{ id: idOf('tax', 1), name: 'TVA 5,5 %', percentage: 550 }]

export function everyRecord(locationId: string): PushedRecord[] {
  return [
    { type: 'location', data: locationOf(locationId) },
    { type: 'catalog.products', data: productsOf() },
    { type: 'catalog.modifiers', data: modifiers },
    { type: 'catalog.payments', data: payments },
    { type: 'catalog.taxes', data: taxes },
    { type: 'order', data: orderOf(locationId, 1) },
    { type: 'report', data: reportOf(locationId, 1) },
  ]
}

export const order = (data: unknown): PushedRecord => ({ type: 'order', data })

export const report = (data: unknown): PushedRecord => ({ type: 'report', data })

/** Writes records as NDJSON. */
export function linesOf(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
