import { hourMs } from '../../../../src/core/domain/days/time-units.ts'
import { idOf, locationOf, modifiers, productsOf, reportOf, timeOf } from '../../../support/records.ts'
import { location, inUnits, productsWith, priced, status, later, inYen, type Mistake } from './examples.ts'

/** Catalogs, reports and locations as tills send them by mistake. */
export const mistakenDocuments: Mistake[] = [
  [
    'a tax of 10 in the catalog instead of 1000',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: 'TVA', percentage: 10 }],
    ['tax_rate_under_one_percent /data/0/percentage'],
  ],
  [
    'a product’s tax of 20 instead of 2000',
    'catalog.products',
    productsWith({ taxRate: 20 }),
    ['tax_rate_under_one_percent /data/0/priceList/0/taxRate'],
  ],
  ['a Z in units beside payments in cents', 'report', inUnits, ['report_total_hundredfold /data/totalSales']],
  [
    'a Z whose total differs from that of its products',
    'report',
    reportOf(location, 1, { totalSales: 99_900 }),
    ['total_mismatch /data/totalSales', 'tax_mismatch /data/reportTaxes'],
  ],
  [
    'a Z with a tax of 10 instead of 1000',
    'report',
    reportOf(location, 1, { reportTaxes: [{ taxName: '', taxRate: 10, taxAmount: 200, taxableAmount: 2000 }] }),
    ['tax_rate_under_one_percent /data/reportTaxes/0/taxRate'],
  ],
  [
    'a Z of this evening in local time',
    'report',
    reportOf(location, 1, { finalizedAt: later(hourMs) }),
    ['time_ahead /data/finalizedAt'],
  ],
  [
    'a product with 55 % for 5.5 %, by the taxes of the catalog',
    'catalog.products',
    productsWith({ taxRate: 5500 }),
    ['tax_rate_mismatch /data/0/priceList/0/taxRate'],
  ],
  [
    'a Z with a tax of 100 for 10 %',
    'report',
    reportOf(location, 1, { reportTaxes: [{ taxName: 'TVA', taxRate: 100, taxAmount: 200, taxableAmount: 2000 }] }),
    ['tax_mismatch /data/reportTaxes/0/taxAmount'],
  ],
  [
    'a Z that ends before it begins',
    'report',
    reportOf(location, 1, { startedAt: timeOf(3), finalizedAt: timeOf(2) }),
    ['times_reversed /data/finalizedAt'],
  ],
  [
    'a rate of 1000 % in the catalog',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: 'TVA', percentage: 100_000 }],
    ['tax_rate_over_one /data/0/percentage'],
  ],
  [
    'a negative rate in the catalog',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: 'TVA', percentage: -1000 }],
    ['tax_rate_under_one_percent /data/0/percentage'],
  ],
  [
    'a discount of a report with a minus',
    'report',
    reportOf(location, 1, {
      reportDiscounts: [{ discountName: 'Fidélité', discountValue: -300, discountCatalogId: idOf('discount', 1) }],
    }),
    ['discount_mismatch /data/reportDiscounts/0/discountValue'],
  ],
  [
    'minus one guest of a report',
    'report',
    reportOf(location, 1, { guestsNumber: -1 }),
    ['quantity_implausible /data/guestsNumber'],
  ],
  [
    'a catalog in yen instead of hundredths of them',
    'catalog.products',
    productsWith({ unitPrice: 550 }),
    [
      'decimals_beyond_currency /data/0/priceList/0/unitPrice',
      ...[1, 2, 3, 4].map((i) => `decimals_beyond_currency /data/${i}/priceList/0/unitPrice`),
    ],
    inYen,
  ],
  [
    'a Z in yen instead of hundredths of them',
    'report',
    reportOf(location, 1, { totalSales: 2250, reportProducts: [], reportTaxes: [], reportPayments: [] }),
    ['decimals_beyond_currency /data/totalSales'],
    inYen,
  ],
  ['a catalog in units', 'catalog.products', priced([2, 3, 12, 14, 9]), ['prices_in_units /data']],
  [
    'a modifier in units',
    'catalog.modifiers',
    [{ ...modifiers[0], options: [{ id: idOf('modifier', 2), name: 'Double', price: 0.5 }] }],
    ['prices_in_units /data/0/options/0/price'],
  ],
  [
    'a negative price',
    'catalog.products',
    productsWith({ unitPrice: -250 }),
    ['price_negative /data/0/priceList/0/unitPrice'],
  ],
  [
    'a till without a clock',
    'report',
    reportOf(location, 1, { startedAt: '2000-01-01T00:00:12.000Z' }),
    ['time_long_past /data/startedAt'],
  ],
  [
    'a shift that ends before it begins',
    'report',
    reportOf(location, 1, {
      reportClerksShift: [
        { name: 'Camille', id: idOf('operator', 1), clockInDate: timeOf(2), clockOutDate: timeOf(1) },
      ],
    }),
    ['times_reversed /data/reportClerksShift/0/clockOutDate'],
  ],
  [
    'a Z whose taxable amounts include their tax',
    'report',
    reportOf(location, 1, { reportTaxes: [{ taxName: 'TVA', taxRate: 1000, taxAmount: 200, taxableAmount: 2200 }] }),
    ['tax_mismatch /data/reportTaxes'],
  ],
  [
    'a Z of a till that the location does not have',
    'report',
    reportOf(location, 1, { deviceName: 'POS-1' }),
    ['unknown_device /data/deviceName'],
  ],
  [
    'a status of an unknown till',
    'device.status',
    status({ deviceId: idOf('device', 7) }),
    ['unknown_device /data/deviceId'],
  ],
  [
    'a status complete until later than its own time',
    'device.status',
    status({ completeUntil: timeOf(6) }),
    ['times_reversed /data/at'],
  ],
  ['an empty catalog', 'catalog.products', [], ['list_shrunk /data']],
  ['only what changed', 'catalog.products', productsOf(2), ['list_shrunk /data']],
  [
    'a location without its tills',
    'location',
    locationOf(location, { deviceList: [] }),
    ['list_shrunk /data/deviceList'],
  ],
  [
    'a product twice',
    'catalog.products',
    [...productsOf(5), { ...productsOf(1)[0], name: 'Plat' }],
    ['id_twice /data/5/id'],
  ],
  [
    'ids that are positions in a list',
    'catalog.products',
    productsOf(5).map((product, i) => ({ ...product, name: ['Nouveau', 'Plat 1', 'Plat 2', 'Plat 3', 'Plat 4'][i] })),
    [1, 2, 3, 4].map((i) => `id_reused /data/${i}/id`),
  ],
  [
    'two tills with one name',
    'location',
    locationOf(location, { deviceList: [1, 2].map((n) => ({ id: idOf('device', n), name: 'POS', model: 'till' })) }),
    ['device_name_twice /data/deviceList/1/name'],
  ],
  ['a SIREN for a SIRET', 'location', locationOf(location, { siret: '982974982' }), ['siret_invalid /data/siret']],
]
