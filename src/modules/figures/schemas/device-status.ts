import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** A till's statement that everything it closed until then has been pushed and acknowledged. */
export const DeviceStatus = Type.Object(
  {
    deviceId: Uuid(),
    at: Datetime({
      description: 'Time of the status by the clock of the device. A status older than the stored one is stale.',
    }),
    completeUntil: Datetime({
      description: 'All orders that it closed until this time were acknowledged. Must not lie in the future.',
    }),
    lastNumber: Nullable(Count({ minimum: 0 }), {
      description:
        'Number of orders that it has ever closed, by its own counter. From the second status on, as many orders must arrive as this number ' +
        'grows; otherwise the device is incomplete until they arrive.',
      examples: [1041],
    }),
  },
  { ...closed, title: 'DeviceStatus' },
)

export type DeviceStatus = Static<typeof DeviceStatus>
