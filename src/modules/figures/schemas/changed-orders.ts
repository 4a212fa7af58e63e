import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const OrderSent = Type.Object(
  {
    sequence: Count({ description: 'Journal sequence of the version.', examples: [48211] }),
    acceptedAt: Datetime(),
    deviceId: Uuid({ description: 'Id of the till that sent it.' }),
    operatorName: Type.String({ examples: ['Camille'] }),
  },
  { ...closed, title: 'OrderSent' },
)

/** An order that changed after a closing, with its versions at that time and now. */
export const ChangedOrder = Type.Object(
  {
    orderId: Uuid(),
    orderNumber: Type.String({ examples: ['1042'] }),
    operatorName: Type.String({ examples: ['Camille'] }),
    changedAt: Datetime({ description: 'When the latest version was accepted.' }),
    before: Nullable(Minor(), {
      description: 'Total when the day was complete; null if the order did not count or did not exist.',
      examples: [13520],
    }),
    now: Nullable(Minor(), {
      description: 'Current total; null if the order does not count, for example because it was canceled.',
    }),
    versions: Type.Object(
      { before: Nullable(OrderSent, { description: 'Version when the day was complete.' }), now: OrderSent },
      {
        ...closed,
        description: 'Sender and time of acceptance of two versions: when the day was complete, and the latest.',
      },
    ),
  },
  { ...closed, title: 'ChangedOrder' },
)

export type ChangedOrder = Static<typeof ChangedOrder>
