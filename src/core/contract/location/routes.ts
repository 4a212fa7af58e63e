import { Type } from 'typebox'
import { settingsOf } from './settings.ts'
import { closed } from '../scalars.ts'
import { findLocation, findLocationBytes } from './rows.ts'
import type { Reading, Process } from '../../http/context.ts'
import type { App } from '../../http/server-types.ts'
import { readFresh } from '../../http/answers/freshness.ts'
import { sendStored } from '../../http/answers/replies.ts'
import { named, operation } from '../../http/reference/route-schema.ts'

/** `devices` has one allowed value (specification 9.5). */
const OwnQuery = Type.Object(
  { devices: Type.Optional(Type.Literal(true, { description: 'Include `deviceList`. Only `true` is allowed.' })) },
  closed,
)

/**
 * Adds the operations that return the key's location and its settings (specification 9.5); a request cannot name
 * another location. The document is stored with and without `deviceList`, so a read need not assemble it.
 */
export function locationRoutes(app: App, context: Reading & Process): void {
  app.get(
    '/v1/locations/own',
    {
      config: { scope: 'read' },
      schema: operation({
        contract: true,
        operationId: 'getOwnLocation',
        headers: ['ETag'],
        answer: 'The location of the key.',
        summary: 'Read the location of the key',
        description: 'Name, address and registration numbers pushed by the till; with `devices=true` also its devices.',
        query: OwnQuery,
        isNumbered: true,
        answers: { 200: named('Location') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      const withDevices = request.query.devices !== undefined
      const { document, version } = await readFresh(context, request, reply, ({ reader }) =>
        findLocationBytes(reader, request.key.locationId, withDevices),
      )
      if (!document) throw new Error(`the location of key ${request.key.id} does not exist`)
      return sendStored(request, reply, { document, version })
    },
  )

  app.get(
    '/v1/locations/own/settings',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Location'],
        operationId: 'getOwnLocationSettings',
        answer: 'Time zone, currency and business day of the location.',
        summary: 'Read the settings of the location',
        description:
          'The settings that figures depend on, as set by the operator: time zone, currency, start of the business day and of the fiscal year.',
        answers: { 200: named('LocationSettings') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const location = await findLocation(context.pool, request.key.locationId)
      if (!location) throw new Error(`the location of key ${request.key.id} does not exist`)
      return settingsOf(location)
    },
  )
}
