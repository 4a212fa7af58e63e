import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

export const deductionKinds = ['orderCanceled', 'itemCanceled', 'loss', 'discount'] as const

const Sum = Type.Object(
  { count: Count({ examples: [16] }), amount: Minor({ examples: [17190] }) },
  { ...closed, title: 'DeductionSum' },
)

const sums = {
  orderCanceled: Sum,
  itemCanceled: Sum,
  loss: Sum,
  discount: Sum,
}

const Deduction = Type.Object(
  {
    kind: Choice(deductionKinds, {
      description:
        '`orderCanceled`: an entire order. `itemCanceled`: an item of an order. `loss`: an item that was lost or given ' +
        'away. `discount`: a discount on an item.',
    }),
    orderId: Uuid(),
    orderNumber: Type.String({ examples: ['1042'] }),
    at: Datetime({
      description: 'When the order was closed; for a canceled order that was never closed, when it was opened.',
    }),
    businessDay: Type.String({ format: 'date' }),
    hour: Type.String({ description: 'Local hour of `at`.', examples: ['19'] }),
    operatorId: Uuid({ description: 'Operator of the order; tills do not report operators of items.' }),
    operatorName: Type.String({ examples: ['Camille'] }),
    description: Nullable(Type.String(), { description: 'Name of the item; null for an entire order.' }),
    quantity: Nullable(Type.Number(), { description: 'Quantity of the item; null for an entire order.' }),
    reason: Nullable(Type.String(), {
      description: '`cancelReason`, `lossReason` or the name of the discount; null if the till gave none.',
    }),
    amount: Minor({
      description: 'Deducted amount, tax included; for a canceled order, the sum of its items that are sales.',
    }),
  },
  { ...closed, title: 'Deduction' },
)

const DeductionsOf = (what: string, title: string, key: string) =>
  Type.Object(
    { key: Type.String({ description: key }), name: Type.String(), ...sums },
    { ...closed, title, description: what },
  )

const DeductionReason = Type.Object(
  {
    kind: Choice(deductionKinds),
    reason: Nullable(Type.String(), { description: 'Null if the till gave none.' }),
    count: Count(),
    amount: Minor(),
  },
  { ...closed, title: 'DeductionReason' },
)

export const Deductions = Type.Object(
  {
    data: Type.Array(Deduction, { description: 'Newest first, at most 5,000.' }),
    totals: Type.Object(sums, closed),
    operators: Type.Array(
      DeductionsOf('Sums by operator, largest first.', 'OperatorDeductions', 'Id of the operator.'),
    ),
    hours: Type.Array(
      DeductionsOf(
        'Sums by local hour, in the order of a business day.',
        'HourDeductions',
        'Local hour, such as `19`.',
      ),
    ),
    reasons: Type.Array(DeductionReason, { description: 'Sums by kind and reason, largest first.' }),
    meta: Type.Object(
      {
        since: Type.String({ format: 'date' }),
        until: Type.String({ format: 'date' }),
        currency: Type.String({ examples: ['EUR'] }),
        timeZone: Type.String({ examples: ['Europe/Paris'] }),
        dayStartsAt: Type.String({ examples: ['05:00'] }),
        totalCount: Count({ description: 'Number of deductions; `data` may have fewer.' }),
        sequence: Count({ description: 'Journal sequence of this state.' }),
      },
      closed,
    ),
  },
  { ...closed, title: 'Deductions' },
)

export type Deductions = Static<typeof Deductions>
export type Deduction = Static<typeof Deduction>
