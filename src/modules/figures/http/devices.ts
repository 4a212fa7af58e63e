import { daysProjection, readPendingDays } from '../projections/days.ts'
import { readDevices } from '../projections/devices-answer.ts'
import { readExactly } from '../projections/exact.ts'
import type { DeviceList } from '../schemas/devices.ts'
import type { Reading, Writing, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { whenBuilt } from './figures-building.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/**
 * Adds the operation that lists the location's tills: whether they are connected, and up to which time all of their
 * data has arrived.
 */
export function deviceRoutes(app: App, context: Reading & Writing & Process): void {
  const { pool, clock, pushes } = context
  app.get(
    '/v1/devices/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Location'],
        operationId: 'listDevices',
        answer: 'Tills and devices of the location by name, idle ones last.',
        summary: 'List devices and their state',
        description:
          'Returns each device that was active in the last 29 business days or is in the `deviceList`: its last order and number, ' +
          'the time up to which its data is complete, the delay of its orders, and since when it has been silent.',
        isNumbered: true,
        answers: { 200: named('DeviceList') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply): Promise<DeviceList> => {
      const { locationId } = request.key
      await reachNumber(context, request)
      const answer = await whenBuilt(
        readExactly(pool, locationId, daysProjection, async (tx) => {
          const live = await readPendingDays(tx, locationId)
          const staleShare = (deviceId: string) => pushes.staleShare(locationId, deviceId)
          return live && readDevices(tx, locationId, live, { now: clock(), staleShare })
        }),
      )
      request.handedOut = { documents: answer.data.length }
      reply.header('tillgate-sequence', answer.meta.sequence).header('cache-control', 'private, no-cache')
      return answer
    },
  )
}
