import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** A till's statement that everything it closed until `completeUntil` has been pushed and acknowledged. */
export const DeviceStatus = Type.Object(
  {
    deviceId: Uuid(),
    at: Datetime({
      description: 'Time of the status by the clock of the device. A status older than the stored one is stale.',
    }),
    completeUntil: Datetime({
      description: 'All orders that it closed until this time were acknowledged. Must not be in the future.',
    }),
    lastNumber: Nullable(Count({ minimum: 0 }), {
      description:
        'Number of orders that the device has ever closed, by its own counter. Each increase must be followed by as many orders; until they ' +
        'arrive, the device is incomplete. The first status only sets the start of the count.',
      examples: [1041],
    }),
  },
  { ...closed, title: 'DeviceStatus' },
)

export type DeviceStatus = Static<typeof DeviceStatus>
