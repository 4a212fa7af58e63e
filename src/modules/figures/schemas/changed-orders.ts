import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const OrderSent = Type.Object(
  {
    sequence: Count({ description: 'Its number in the journal.', examples: [48211] }),
    acceptedAt: Datetime(),
    deviceId: Uuid({ description: 'The till that sent it.' }),
    operatorName: Type.String({ examples: ['Camille'] }),
  },
  { ...closed, title: 'OrderSent' },
)

/** An order that changed after something was closed, with the version of then and the one of now. */
export const ChangedOrder = Type.Object(
  {
    orderId: Uuid(),
    orderNumber: Type.String({ examples: ['1042'] }),
    operatorName: Type.String({ examples: ['Camille'] }),
    changedAt: Datetime({ description: 'When its latest version was accepted.' }),
    before: Nullable(Minor(), {
      description: 'Its total at the close; null where it did not count, or was not there.',
      examples: [13520],
    }),
    now: Nullable(Minor(), {
      description: 'Its total now; null where it does not count, such as one that was canceled.',
    }),
    versions: Type.Object(
      { before: Nullable(OrderSent, { description: 'The version at the close.' }), now: OrderSent },
      { ...closed, description: 'Who sent the version of the close and the latest one, and when each was accepted.' },
    ),
  },
  { ...closed, title: 'ChangedOrder' },
)

export type ChangedOrder = Static<typeof ChangedOrder>
