import { hourMs } from '../../../../src/core/domain/days/time-units.ts'
import { idOf, timeOf } from '../../../support/records.ts'
import { coffee, paid, coffees, quantified, later, inYen, type Mistake } from './examples.ts'

/** Orders with mistakes of tills, except those in amounts. */
export const mistakenOrders: Mistake[] = [
  [
    'a change that was made before its order',
    'order',
    coffees({ createdAt: timeOf(5), updatedAt: timeOf(4) }),
    ['times_reversed /data/updatedAt'],
  ],
  [
    'a product that is not in the catalog',
    'order',
    coffees({ items: [coffee({ itemCatalogId: idOf('product', 77) })] }),
    ['unknown_product /data/items/0/itemCatalogId'],
  ],
  [
    'a device that the location does not have',
    'order',
    coffees({ deviceId: idOf('device', 7) }),
    ['unknown_device /data/deviceId'],
  ],
  [
    'local time sent as UTC',
    'order',
    coffees({
      createdAt: later(2 * hourMs),
      openedAt: later(2 * hourMs),
      updatedAt: later(2 * hourMs),
      closedAt: later(2 * hourMs),
    }),
    ['openedAt', 'createdAt', 'updatedAt', 'closedAt'].map((name) => `time_ahead /data/${name}`),
  ],
  [
    'a close of days ago without the time of creation',
    'order',
    (({ createdAt: _createdAt, updatedAt: _updatedAt, ...order }) => order)(coffees()),
    ['created_at_missing /data/createdAt'],
  ],
  [
    'an end before its beginning',
    'order',
    coffees({ openedAt: timeOf(5), closedAt: timeOf(4) }),
    ['times_reversed /data/closedAt'],
  ],
  [
    'a local time of a zone behind UTC, in each of its pushes',
    'order',
    coffees({ updatedAt: later(-5 * hourMs - 20_000) }),
    ['times_behind /data/updatedAt'],
  ],
  [
    'a sum of binary fractions as it stands',
    'order',
    {
      ...quantified({ unitPrice: 0.15, total: 0.1 + 0.2, tax: { ...coffee().tax, taxAmount: 0.03 } }),
      total: 0.1 + 0.2,
      totalTax: 0.03,
      payments: paid(0.1 + 0.2),
    },
    [
      'decimals_beyond_currency /data/total',
      'decimals_beyond_currency /data/payments/0/paymentAmount',
      'decimals_beyond_currency /data/items/0/total',
    ],
  ],
  [
    'half a yen',
    'order',
    coffees({
      items: [coffee({ quantity: 1, unitPrice: 499.5, total: 499.5, tax: { ...coffee().tax, taxAmount: 45 } })],
      total: 499.5,
      totalTax: 45,
      payments: paid(500),
    }),
    ['decimals_beyond_currency /data/total', 'decimals_beyond_currency /data/items/0/total'],
    inYen,
  ],
  [
    'seconds for milliseconds',
    'order',
    coffees({ openedAt: '1970-01-21T12:00:00.000Z' }),
    ['time_long_past /data/openedAt'],
  ],
  [
    'a dish of a menu that the order does not have',
    'order',
    quantified({ comboParentId: idOf('product', 9) }),
    ['unknown_menu /data/items/0/comboParentId'],
  ],
  [
    'an order without an id and a device without one',
    'order',
    coffees({ id: '00000000-0000-0000-0000-000000000000', deviceId: 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF' }),
    ['id_placeholder /data/id', 'id_placeholder /data/deviceId', 'unknown_device /data/deviceId'],
  ],
  [
    'placeholder texts',
    'order',
    coffees({
      operatorName: 'undefined',
      orderPlace: 'null',
      customerId: '[object Object]',
      items: [coffee({ description: '' })],
    }),
    ['orderPlace', 'operatorName', 'customerId', 'items/0/description'].map((name) => `text_placeholder /data/${name}`),
  ],
  [
    'a payment with a space after its name',
    'order',
    coffees({ payments: [{ ...paid(5)[0]!, paymentName: 'Carte ' }] }),
    ['text_padded /data/payments/0/paymentName'],
  ],
]
