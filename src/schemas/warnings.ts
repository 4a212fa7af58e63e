import { Type, type Static } from 'typebox'
import { Choice, closed } from './scalars.ts'

/**
 * The closed table of warnings: what it means, when it is given (the rule as a formula, amounts as they are sent), and
 * what the till should do. A warning never keeps a record from being stored. It is the source of the OpenAPI enum and
 * of the pages under `/docs/warnings/`; a test holds it to the rules.
 */
export const warnings = {
  amounts_in_cents: [
    'The order is in cents',
    'The unitPrice of an item equals a price of its catalog product, which is in cents, and is at least 100; or every ' +
      'amount of the order is a whole number, its total at least 100, and the tax of an item was rounded or cut to a whole ' +
      'unit: |taxAmount − total × taxRate ÷ (1 + taxRate)| > 0.05.',
    'Send amounts of orders in units with decimals: 12.50, not 1250. Only the catalog and reports are in cents.',
  ],
  tax_rate_over_one: [
    'The tax rate of an item is above 100 %',
    'items[i].tax.taxRate > 1.',
    'Send the rate of an order’s item as a fraction: 0.1 for 10 %, not 10 and not 1000.',
  ],
  tax_rate_under_one_percent: [
    'A tax rate of the catalog or of a report is below 1 %',
    '0 < percentage < 100 in catalog.taxes, 0 < priceList[j].taxRate < 100 in catalog.products, 0 < taxRate < 100 in a report.',
    'Send rates of the catalog and of reports in hundredths of a percent: 1000 for 10 %, not 10.',
  ],
  total_mismatch: [
    'The total is not the sum of its parts',
    'Order: |total − Σ items[i].total| > 0.015 + 0.005 per item, over items that are neither canceled nor a loss. Item: ' +
      'total has the other sign than quantity × unitPrice. ' +
      'Report: totalSales ≠ Σ productSales, where products are told.',
    'Send as total what the items add up to, discounts taken off and tips left out.',
  ],
  tax_mismatch: [
    'The tax is not the sum of its parts, or not what its rate says',
    'Order: |totalTax − Σ items[i].tax.taxAmount| > 0.015 + 0.005 per item, over the same items. Item: |taxAmount − ' +
      'total × taxRate ÷ (1 + taxRate)| > 0.05 + 1 % of it, for rates up to 1.',
    'Prices include their tax: of 11.00 at 10 % the tax is 1.00, not 1.10.',
  ],
  payments_missing: [
    'A closed order has no payments',
    'closedAt is set, the order is neither canceled, transferred nor a training order, total > 0, and payments is empty.',
    'Send the payments with the closing: without them the order is closed, and never counts as paid.',
  ],
  payments_mismatch: [
    'The payments are less than the total, or a hundred times as much',
    'closedAt is set, the order is neither canceled, transferred nor a training order, payments is not empty, and ' +
      'Σ paymentAmount < total − 0.015, or Σ paymentAmount = 100 × total, above 500.',
    'Send every payment of the order, each with its amount in units.',
  ],
  report_total_hundredfold: [
    'The totals of a report are in units',
    'A payment or product of the report agrees with totalSales only after one of them is multiplied by 100: ' +
      'totalSales × 100 = Σ paymentAmount, totalSales = 100 × Σ paymentAmount, or the same with Σ productSales; or ' +
      'totalSales × 100 or ÷ 100 is Σ total of the report’s stored orders in cents.',
    'Send every amount of a report in cents: 248000 for 2480.00.',
  ],
  time_ahead: [
    'A time lies in the future',
    'openedAt, createdAt, updatedAt, closedAt, startedAt or finalizedAt is more than 10 minutes after the moment of the push.',
    'Send UTC. A local time with a Z behind it is off by the whole hours of its zone.',
  ],
  times_behind: [
    'Everything that the till sends is whole hours old',
    'In at least three pushes of a device in a row, over ten minutes or more, the newest updatedAt was 3 minutes or less ' +
      'from the same number of half hours old, one hour to twelve; and so is this updatedAt.',
    'Send UTC. A local time of a zone behind UTC, with a Z behind it, is hours in the past. A till that pushes late on ' +
      'purpose may pass over this.',
  ],
  times_reversed: [
    'The end lies before the beginning',
    'closedAt < openedAt, updatedAt < createdAt of an order, or finalizedAt < startedAt.',
    'Send both times in UTC, by the same clock.',
  ],
  unknown_product: [
    'The product is not in the catalog',
    'items[i].itemCatalogId is not the id of a product of the stored catalog, where there is one.',
    'Push catalog.products before the orders that refer to it.',
  ],
  unknown_tax: [
    'The tax is not in the catalog',
    'items[i].tax.taxCatalogId is not the id of a stored tax, where there are any.',
    'Push catalog.taxes before the orders that refer to it.',
  ],
  unknown_payment: [
    'The means of payment is not in the catalog',
    'payments[i].paymentCatalogId is not the id of a stored payment, where there are any.',
    'Push catalog.payments before the orders that refer to it.',
  ],
  unknown_device: [
    'The device is not one of the location',
    'deviceId is not the id of a device of the stored location, where it has any.',
    'Push the location with its deviceList.',
  ],
} as const satisfies Record<string, readonly [title: string, rule: string, help: string]>

export type WarningCode = keyof typeof warnings

export const warningCodes = Object.keys(warnings) as WarningCode[]

export const Warning = Type.Object(
  {
    pointer: Type.String({ description: 'JSON Pointer (RFC 6901) into the record.', examples: ['/data/total'] }),
    code: Choice(warningCodes, { description: 'Each has a page under `/docs/warnings/`.' }),
    detail: Type.String({ examples: ['total is 500, the items add up to 5'] }),
  },
  { ...closed, title: 'Warning' },
)

export type Warning = Static<typeof Warning>
