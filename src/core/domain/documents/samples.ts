import { modules } from '../../modules.ts'
import { id, at, sampleTime } from './sample-ids.ts'
import type { DisabledWebhook } from '../../contract/webhooks/disabled.ts'
import type { EventType } from '../../schemas/events.ts'
import type { CatalogModifierGroup, CatalogPayment, CatalogProduct, CatalogTax } from '../../contract/catalog/schema.ts'
import type { Location } from '../../contract/location/schema.ts'
import type { Order, OrderItem } from '../../contract/orders/schema.ts'
import type { Report } from '../../contract/reports/schema.ts'

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

const disabledWebhook: DisabledWebhook = {
  id: id(91),
  reason: 'gone',
  disabledAt: sampleTime,
  failingSince: sampleTime,
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

const samples: Partial<Record<EventType, (locationId: string) => unknown>> = {
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
  'webhook.disabled': () => disabledWebhook,
}

/** Makes fake `data` for an event, by its schema, for test deliveries and the list of event types. */
export function sampleData(type: EventType, locationId: string): unknown {
  const own = samples[type]
  if (own) return own(locationId)
  const kind = modules()
    .flatMap((module) => Object.values(module.kinds ?? {}))
    .find(({ events }) => Object.hasOwn(events, type))
  return kind?.sample(type)
}
