/**
 * The complete table of warnings: the meaning, the rule as a formula with amounts as they are sent, and what the till
 * should do. A warning never prevents a record from being stored. The OpenAPI enum and the pages under
 * `/docs/warnings/` are made from it; a test checks it against the rules.
 */
export const warnings = {
  amounts_in_cents: [
    'The order is in minor units',
    'The unitPrice of an item is at least 100 and equals a price of its catalog product, which is in minor units; or ' +
      'every amount of the order is a whole number, its total is at least 100, and the tax of an item was rounded ' +
      'or truncated to a whole unit: |taxAmount − total × taxRate ÷ (1 + taxRate)| > 0.05. Not checked for ' +
      'currencies that are used without decimals.',
    'Send amounts of orders in units with decimals: 12.50, not 1250. Only the catalog and reports are in minor units.',
  ],
  prices_in_units: [
    'The catalog is in major units',
    'All prices of catalog.products that are not 0 are below 100, and there are at least three; the price of a ' +
      'modifier is not a whole number; or the unitPrice of an item is from 1 to 99 and equals a price of its ' +
      'catalog product, which should be in minor units.',
    'Send amounts of the catalog in minor units: 1250 for €12.50. Amounts of orders are in major units: 12.50.',
  ],
  price_negative: [
    'A catalog price is negative',
    'priceList[j].unitPrice < 0.',
    'Send prices as positive amounts, and reductions as discounts of the order item.',
  ],
  decimals_beyond_currency: [
    'An amount has more decimals than its currency',
    'total, totalTax, totalDiscount, items[i].total or payments[i].paymentAmount differs from its value rounded ' +
      'to the decimals of the currency, such as 0.30000000000000004 from 0.30; or, in a currency without decimals, ' +
      'a catalog price or the totalSales of a report is not divisible by 100.',
    'Round each amount to the decimals of the currency: for two, Math.round(amount × 100) ÷ 100. Amounts of the catalog and of reports ' +
      'are in hundredths in every currency (50000 for 500 yen), or in thousandths if the currency has them, such as ' +
      'the Kuwaiti dinar.',
  ],
  tax_rate_over_one: [
    'A tax rate is above 100 %',
    'Order: items[i].tax.taxRate > 1. Catalog and report: percentage or taxRate > 10000.',
    'Send the rate of an item of an order as a fraction (0.1 for 10 %), and rates of the catalog and of reports ' +
      'in hundredths of a percent (1000 for 10 %).',
  ],
  tax_rate_under_one_percent: [
    'A tax rate is below 1 %',
    'Order: taxRate < 0.01 and not 0. Catalog and report: percentage or taxRate < 100 and not 0.',
    'Send rates of the catalog and of reports in hundredths of a percent (1000 for 10 %, not 10), and rates of ' +
      'orders as a fraction (0.1).',
  ],
  tax_rate_mismatch: [
    'The tax rate of an item or product does not match the catalog',
    'items[i].tax.taxRate × 10000, rounded, is not the percentage of the stored tax with the id taxCatalogId; or ' +
      'taxes are stored, and none of them has the taxRate of a price of catalog.products.',
    'Send the rate of an item as a fraction (0.055 for 5.5 %), with the id of the tax that has this rate. In the ' +
      'catalog send 550, and push catalog.taxes before catalog.products.',
  ],
  total_mismatch: [
    'The total is not the sum of its parts',
    'A step is 0.01, 0.001 in currencies with thousandths, or 1 in currencies that are used without decimals. Order: |total − Σ items[i].total| > 1.5 ' +
      'steps + half a step per item, over items that are neither canceled nor a loss. Item: total has the opposite ' +
      'sign of quantity × unitPrice; or the item has no modifiers, weight or menu, and |total − (quantity × ' +
      'unitPrice − Σ discountValue)| > 1.5 steps + half a step per unit and discount. Report: totalSales ≠ Σ ' +
      'productSales, if the report lists products; or totalSales ≠ Σ total, in minor units, of its orders that are ' +
      'neither canceled nor training, if all of them are stored and closed.',
    'Send the sum of the items as total, after discounts and without tips; unitPrice is the price of one unit, ' +
      'before discounts, tax included.',
  ],
  tax_mismatch: [
    'The tax is not the sum of its parts, or does not match its rate',
    'Order: |totalTax − Σ items[i].tax.taxAmount| > 1.5 steps + half a step per item, over items that are neither ' +
      'canceled nor a loss. Item with a rate up to 1: |taxAmount − expected| > 5 steps + 1 % of expected, which is ' +
      'total × taxRate ÷ (1 + taxRate); or taxAmount equals total × taxRate, rounded, and |taxAmount − expected| > ' +
      '1.5 steps + half a step per unit. Report: |totalSales − Σ (taxableAmount + taxAmount)| > one step and one ' +
      'per rate; or a taxAmount is less than half of taxableAmount × taxRate ÷ 10000, or more than twice ' +
      'that, and differs from it by 100 or more.',
    'Prices include their tax: of 11.00 at 10 % the tax is 1.00, not 1.10, and the taxable amount is 10.00.',
  ],
  discount_mismatch: [
    'A discount differs from the deducted amount',
    'discountValue has the opposite sign of quantity × unitPrice; Σ discountValue of an item exceeds quantity × ' +
      'unitPrice; |totalDiscount − Σ discountValue| > 1.5 steps + half a step per discount, over items that are ' +
      'neither canceled nor a loss; or a discountValue of a report is negative.',
    'Send discounts as positive amounts, not percentages, on the discounted items: 1.25 for 10 % off 12.50. ' +
      'Distribute a discount of the whole order over its items.',
  ],
  quantity_implausible: [
    'A quantity is implausible',
    'An item that is neither canceled nor a loss has quantity 0 and no weight, or |quantity| > 1000; guests < 0 or > 1000; ' +
      'guestsNumber < 0.',
    'Send pieces, with decimals if needed: 0.35, not 350. Omit items that were not ordered.',
  ],
  payments_missing: [
    'A closed order has no payments',
    'closedAt is set, the order is neither canceled nor a training order, isTransferred is false, total > 0, and payments is empty.',
    'Send the payments when the order is closed. Without them it never counts as paid.',
  ],
  payments_mismatch: [
    'The payments do not match the total',
    'closedAt is set, the order is neither canceled nor a training order, total is not 0, payments is not empty, ' +
      'and Σ paymentAmount < total or Σ paymentAmount > total + Σ tips. If a payment is cash or of an unknown kind, ' +
      'differences up to half of the smallest coin are allowed: 0.025 for EUR.',
    'Send every payment of the order in major units, without change. An amount beyond the total is a tip.',
  ],
  refund_over_sale: [
    'Refunds exceed the sale',
    'total < 0, the order is neither canceled nor a training order, refundOf names a stored order, and −Σ total ' +
      'of this refund and of earlier refunds of that order exceeds the total of that order by more than 1.5 steps, ' +
      'and half a step per earlier refund.',
    'Send the refunded sale as refundOf, and the refunded amount as total. Send other refunds as separate orders.',
  ],
  report_total_hundredfold: [
    'The total of a report is in another unit than its parts',
    'totalSales × 100 or totalSales ÷ 100 (1000 in currencies with thousandths) is exactly one of these sums: Σ paymentAmount or Σ productSales ' +
      'of the report, or Σ total, in minor units, of its stored orders that are neither canceled nor training.',
    'Send every amount of a report in minor units: 248000 for €2480.00.',
  ],
  unknown_order: [
    'Orders of a report have not arrived',
    'An id in orders is not the id of a stored order. Checked for reports with at most 1,000 orders.',
    'Push the orders before their report, with the same ids.',
  ],
  order_outside_report: [
    'Orders of a report were closed outside its period',
    'A stored order of the report is open and not canceled, or was closed more than 10 minutes before startedAt or after ' +
      'finalizedAt.',
    'Send the times of orders and reports in UTC from one clock, and close orders before the report.',
  ],
  order_of_other_report: [
    'Orders of a report belong to another report',
    'A stored order of the report has the reportId of another report.',
    'List an order in one report only, and send the id of this report as its reportId.',
  ],
  report_number_twice: [
    'Two reports of a device have the same number',
    'Another stored report with the same reportNumber, deviceName and deviceIdentifier has another id.',
    'Number the reports of a device consecutively, and resend a report with its original id.',
  ],
  reports_overlap: [
    'Two reports of a device overlap',
    'Another stored report of the same deviceName and deviceIdentifier begins before this one ends, and ends after it began.',
    'Start a report when the previous one ended, not when the till was first started.',
  ],
  time_ahead: [
    'A time is in the future',
    'openedAt, createdAt, updatedAt, closedAt, startedAt or finalizedAt, or at or completeUntil of a status, is ' +
      'more than 5 minutes later than the time of the push. A version whose updatedAt is ahead is replaced when a version arrives whose updatedAt is not ahead.',
    'Send UTC, and set the clock of the till. A local time sent with a Z is wrong by the UTC offset of its time zone.',
  ],
  time_long_past: [
    'A time is before 2001',
    'openedAt, createdAt, updatedAt, closedAt, startedAt or finalizedAt, or at or completeUntil of a status, is ' +
      'before 2001.',
    'Set the clock of the till, and multiply seconds by 1000 where milliseconds are expected.',
  ],
  time_long_ago: [
    'A very old sale or Z report was pushed as a current one',
    'closedAt, openedAt of an open order, or finalizedAt is more than 360 days before the push and not before ' +
      '2001, and updatedAt is also more than 360 days before the push, or absent. Not checked with history=true and ' +
      'by tillgate import.',
    'Set the clock of the till. Push past sales with POST /v1/ingest/?history=true, which causes no events.',
  ],
  created_at_missing: [
    'The creation time is missing, and the order was closed days ago',
    'createdAt is absent, and closedAt is more than 2 days before updatedAt, or before the push if updatedAt is ' +
      'absent too.',
    'Send createdAt: lists are ordered by it. A new order without it is listed on the day of updatedAt, or of the ' +
      'push.',
  ],
  times_behind: [
    'All times of the till are off by hours',
    'In at least three consecutive pushes of a device, over ten minutes or more, the newest updatedAt was late by ' +
      'the same number of half hours, from 2 to 24, give or take 3 minutes. The updatedAt of this order is late by ' +
      'that time, too.',
    'Send UTC. In a time zone behind UTC, a local time sent with a Z is hours in the past. If the till pushes ' +
      'late on purpose, ignore this.',
  ],
  times_reversed: [
    'The end is before the start',
    'closedAt < openedAt, updatedAt < createdAt of an order, finalizedAt < startedAt, clockOutDate < clockInDate, ' +
      'or at < completeUntil of a status.',
    'Send both times in UTC, from the same clock.',
  ],
  unknown_product: [
    'The product is not in the catalog',
    'items[i].itemCatalogId is not the id of a stored product. Not checked if no products are stored.',
    'Push catalog.products before the orders that refer to it.',
  ],
  unknown_tax: [
    'The tax is not in the catalog',
    'items[i].tax.taxCatalogId is not the id of a stored tax. Not checked if no taxes are stored.',
    'Push catalog.taxes before the orders that refer to it.',
  ],
  unknown_payment: [
    'The payment method is not in the catalog',
    'payments[i].paymentCatalogId is not the id of a stored payment. Not checked if no payments are stored.',
    'Push catalog.payments before the orders that refer to it.',
  ],
  unknown_device: [
    'The device does not belong to the location',
    'deviceId of an order or status is not the id of a device of the location; or deviceIdentifier of a report is ' +
      'not such an id, and its deviceName is not the name of one. Not checked if the location has no devices.',
    'Push the location with its deviceList.',
  ],
  unknown_menu: [
    'The menu is not in the order',
    'items[i].comboParentId is set and not the id of an element of menus.',
    'Send each menu of the order in menus, and send its id there (not the catalog id) as comboParentId of its dishes.',
  ],
  list_shrunk: [
    'Most entries of a list are missing',
    'catalog.products, catalog.payments or catalog.taxes is empty; deviceList is empty although devices are ' +
      'stored; or one of them has fewer than half of the entries of the stored list, which has at least four.',
    'A push replaces the whole list: send all entries, not only changed ones.',
  ],
  id_twice: [
    'A list has a duplicate id',
    'Two entries of a catalog list or of deviceList have the same id.',
    'Give each entry a unique id. Prices of a product are entries of its priceList.',
  ],
  id_reused: [
    'An id was used for something else before',
    'Order: the stored order with this id has another openedAt; and it has another orderNumber, was closed before ' +
      'this openedAt, or has none of these items. The new order replaces it. catalog.products: the name of an entry belongs to another id ' +
      'of the stored catalog, and that id has another name now.',
    'Give each order and each product a permanent UUID. Do not use positions in a list or numbers that restart as ' +
      'ids.',
  ],
  id_placeholder: [
    'An id is a placeholder',
    'id, deviceId, or the id of a catalog entry or device consists of the digit 0 only, or of the digit f only.',
    'Create a random UUID for each object once, and keep it.',
  ],
  order_sent_twice: [
    'The same order was sent with another id',
    'An order with the same deviceId, openedAt, total and orderNumber, which is not empty, was pushed recently ' +
      'with another id.',
    'Create the id of an order when it is opened, and send every version and every retry with it. Otherwise the ' +
      'sale counts twice.',
  ],
  text_placeholder: [
    'A text is empty or a placeholder for a missing value',
    'A text is undefined, null, None, NaN, nil, string, (null) or [object Object]; or one of these is empty: description of an ' +
      'item, paymentName, deviceName, and the name of a catalog entry or device.',
    'Send the name shown at the till, and omit nullable fields without a value.',
  ],
  text_padded: [
    'A text begins or ends with spaces',
    'A name, number, category or other short text begins or ends with white space.',
    'Trim texts: “Carte” and “Carte ” are two different payment methods in every sum.',
  ],
  device_name_twice: [
    'Two devices have the same name',
    'Two entries of deviceList have the same name.',
    'Give each till a unique name: reports identify tills by name.',
  ],
  siret_invalid: [
    'The SIRET is not valid',
    'The country is France, and siret is not empty and does not have 14 digits.',
    'Send the 14 digits of the establishment; the first nine are the SIREN.',
  ],
  count_restarted: [
    'The order count of a device decreased',
    'lastNumber of a status is lower than in the previous status that this process has seen.',
    'Count all orders that the device has ever closed. A daily count restarts and cannot reveal missing orders.',
  ],
} as const satisfies Record<string, readonly [title: string, rule: string, help: string]>

export type WarningCode = keyof typeof warnings

export const warningCodes = Object.keys(warnings) as WarningCode[]
