import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** What a till says of itself: everything that it closed until then has been pushed and acknowledged. */
export const DeviceStatus = Type.Object(
  {
    deviceId: Uuid(),
    at: Datetime({
      description: 'When it says so, by its own clock: an older status than the one that is kept is stale.',
    }),
    completeUntil: Datetime({
      description: 'Every order that it closed then or before was acknowledged. Not ahead of the clock.',
    }),
    lastNumber: Nullable(Count({ minimum: 0 }), {
      description:
        'How many orders it has ever closed until then, by its own counter. From its second status on the orders that arrived in ' +
        'between must be as many; where some are missing it is not complete until they arrive.',
      examples: [1041],
    }),
  },
  { ...closed, title: 'DeviceStatus' },
)

export type DeviceStatus = Static<typeof DeviceStatus>
