import type { ListIngestWarningsAnswer } from '@tillgate/client'

type Code = ListIngestWarningsAnswer['data'][number]['code']

/** What looks like a mistake in a record that was stored; the server's own text, for who programs the till, stands beside it. */
const warnings: Record<Code, string> = {
  amounts_in_cents: 'the order is in cents',
  prices_in_units: 'the catalogue is not in cents',
  price_negative: 'a price is negative',
  decimals_beyond_currency: 'an amount has more decimals than its currency',
  tax_rate_over_one: 'a VAT rate is above 100%',
  tax_rate_under_one_percent: 'a VAT rate is below 1%',
  tax_rate_mismatch: 'a VAT rate is none of the catalogue',
  total_mismatch: 'the total is not the sum of its parts',
  tax_mismatch: 'the VAT is not the sum of its parts',
  discount_mismatch: 'a discount is not what was taken off',
  quantity_implausible: 'a quantity cannot be',
  payments_missing: 'a closed order has no payments',
  payments_mismatch: 'the payments are not the total',
  report_total_hundredfold: 'the Z is not in cents',
  unknown_order: 'orders of the Z have not arrived',
  order_outside_report: 'orders of the Z were not closed during it',
  order_of_other_report: 'orders of the Z belong to another one',
  report_number_twice: 'two Z of a till have one number',
  reports_overlap: 'two Z of a till overlap',
  created_at_missing: 'the time of creation is missing, days after the close',
  time_ahead: 'a time lies in the future',
  time_long_past: 'a time lies before 2001',
  times_behind: 'all that the till sends is hours old',
  times_reversed: 'the end lies before the beginning',
  unknown_product: 'a product is not in the catalogue',
  unknown_tax: 'a tax is not in the catalogue',
  unknown_payment: 'a means of payment is not in the catalogue',
  unknown_device: 'the till is none of the restaurant',
  unknown_menu: 'a menu is not in the order',
  list_shrunk: 'most of a list is gone',
  id_twice: 'a list has an id twice',
  id_reused: 'an id was another thing’s before',
  id_placeholder: 'an id is that of nothing',
  order_sent_twice: 'the same order came under another id',
  text_placeholder: 'a text is missing',
  text_padded: 'a text has blanks around it',
  device_name_twice: 'two tills have one name',
  siret_invalid: 'the SIRET is none',
  count_restarted: 'the count of a till fell',
}

export const cautions = { cautions: warnings }
