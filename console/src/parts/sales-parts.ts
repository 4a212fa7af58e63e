/** The groupings on the screen Sales, in the order of its menu. */
export const salesParts = [
  'total', 'day', 'week', 'month', 'weekday', 'hour', 'halfHour', 'weekday,halfHour', 'product', 'category', 'payment', 'tax',
  'channel', 'serviceType', 'operator', 'discount', 'device', 'report',
] as const // prettier-ignore
