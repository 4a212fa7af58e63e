/** Names what a means of payment is: only `cash` fills the drawer, and `rounding` is what cash was rounded by. */
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
