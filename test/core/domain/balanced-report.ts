import type { Order, OrderItem } from '../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../src/core/contract/reports/schema.ts'

export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
export const [coffee, wine, reportId] = [uuid(1), uuid(2), uuid(4)]
const loyalty = uuid(3)
export const morning = '2026-03-14T09:00:00.000Z'

export function item(total: number, taxAmount: number, changes: Partial<OrderItem> = {}): OrderItem {
  return {
    description: 'Café',
    quantity: 1,
    weight: null,
    unitPrice: total,
    total,
    category: 'Boissons',
    subCategory: 'Chaudes',
    isCanceled: false,
    cancelReason: null,
    tier: 'Sur place',
    isTransferred: false,
    transferReason: null,
    discountsApplied: [],
    tax: { taxName: 'TVA 10 %', taxRate: 0.1, taxAmount, taxCatalogId: uuid(5) },
    itemCatalogId: coffee,
    isLoss: false,
    lossReason: null,
    comboParentId: null,
    ...changes,
  }
}

const wineTax = (taxAmount: number) => ({ taxName: 'TVA 20 %', taxRate: 0.2, taxAmount, taxCatalogId: uuid(6) })
export const pay = (paymentAmount: number, paymentName = 'Espèces') => ({
  paymentAmount,
  paymentName,
  paymentCatalogId: uuid(7),
})

export function order(id: number, changes: Partial<Order>): Order {
  return {
    id: uuid(id),
    deviceId: uuid(8),
    createdAt: morning,
    updatedAt: morning,
    locationId: uuid(9),
    reportId,
    openedAt: morning,
    closedAt: morning,
    guests: 2,
    orderPlace: '1',
    orderNumber: String(id),
    operatorId: uuid(10),
    operatorName: 'Camille',
    total: 0,
    totalTax: 0,
    totalDiscount: 0,
    customerId: '',
    isCanceled: false,
    isTransferred: false,
    transferReason: null,
    cancelReason: null,
    items: [],
    menus: [],
    payments: [],
    tips: null,
    channel: 'pos',
    serviceType: 'eat_in',
    isTraining: false,
    source: 'pos',
    externalLocationId: null,
    externalOrderId: null,
    ...changes,
  }
}

/** Two coffees for 0.1 + 0.2, a glass of wine with a discount, a canceled and a lost coffee: 5.30 in total. */
export const first = order(101, {
  total: 0.3,
  totalTax: 0.03,
  items: [item(0.1, 0.01), item(0.2, 0.02), item(9, 0.82, { isCanceled: true }), item(7, 0.64, { isLoss: true })],
  payments: [pay(0.3)],
})
export const second = order(102, {
  guests: 3,
  total: 5,
  totalTax: 0.83,
  totalDiscount: 1,
  items: [
    item(5, 0.83, {
      description: 'Verre de vin',
      itemCatalogId: wine,
      tax: wineTax(0.83),
      discountsApplied: [{ discountName: 'Fidélité', discountValue: 1, discountCatalogId: loyalty }],
    }),
  ],
  payments: [pay(2), pay(3, 'Carte bancaire')],
  tips: [{ amount: 1 }],
})
export const canceled = order(103, { total: 50, isCanceled: true, items: [item(50, 4.55)], payments: [pay(50)] })
export const training = order(104, {
  total: 60,
  isTraining: true,
  reportId: null,
  items: [item(60, 5.45)],
  payments: [pay(60)],
})

export const product = (id: string, productSales: number, productQuantity: number) => ({
  productName: id === coffee ? 'Café' : 'Verre de vin',
  productSales,
  category: 'Boissons',
  subCategory: '',
  productQuantity,
  productCatalogId: id,
})

const entry = (entryType: string, entryAmount: number) => ({ entryName: entryType, entryAmount, entryType })

export const balanced: Report = {
  id: reportId,
  createdAt: morning,
  updatedAt: morning,
  locationId: uuid(9),
  startedAt: morning,
  finalizedAt: morning,
  deviceName: 'Caisse 1',
  deviceIdentifier: null,
  reportNumber: 1,
  guestsNumber: 5,
  totalSales: 530,
  reportHeaderInfo: {
    headerAddress: '',
    headerCity: '',
    headerCountry: '',
    headerName: '',
    headerPhone: '',
    headerNaf: '',
    headerSiret: '',
    headerText: '',
    headerTva: '',
    headerUrl: '',
    headerZip: '',
  },
  reportProducts: [product(coffee, 30, 2), product(wine, 500, 1)],
  reportClerksShift: [],
  clerkName: null,
  clerkId: null,
  reportDiscounts: [{ discountName: 'Fidélité', discountValue: 100, discountCatalogId: loyalty }],
  reportTaxes: [
    { taxName: 'TVA 20 %', taxRate: 2000, taxAmount: 83, taxableAmount: 417 },
    { taxName: 'TVA 10 %', taxRate: 1000, taxAmount: 3, taxableAmount: 27 },
  ],
  reportPayments: [
    { paymentName: 'Espèces', paymentAmount: 230 },
    { paymentName: 'Carte bancaire', paymentAmount: 300 },
  ],
  initialCashBalance: 15_000,
  finalCashBalance: 14_180,
  reportEntries: [entry('opening_float', 15_000), entry('expense', -1_100), entry('count_overage', 50)],
  orders: [first.id, second.id, canceled.id],
}
export const orders = [first, second, canceled]
