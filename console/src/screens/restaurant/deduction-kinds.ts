export const deductionKinds = ['orderCanceled', 'itemCanceled', 'loss', 'discount'] as const
