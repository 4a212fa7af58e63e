/** The kinds of payments. Only `cash` fills the drawer; `rounding` is the amount by which cash was rounded. */
export const paymentKinds = [
  'cash',
  'card',
  'meal_voucher',
  'gift_card',
  'cheque',
  'account',
  'rounding',
  'other',
] as const

export type PaymentKind = (typeof paymentKinds)[number]
