import { Type } from 'typebox'
import { closed } from '../../schemas/scalars.ts'
import { findLocationBytes } from '../../store/locations.ts'
import type { App, Context } from '../context.ts'
import { sendDocument } from '../replies.ts'
import { named, operation } from '../route-schema.ts'

const OwnQuery = Type.Object(
  { devices: Type.Optional(Type.Literal(true, { description: 'Include `deviceList`. Only `true` is allowed.' })) },
  closed,
)

export function locationRoutes(app: App, context: Context): void {
  app.get(
    '/v1/locations/own',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Location'],
        operationId: 'getOwnLocation',
        summary: 'Read the location of the key',
        query: OwnQuery,
        answers: { 200: named('Location') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      const found = await findLocationBytes(context.pool, request.key.locationId)
      if (!found) throw new Error(`key ${request.key.id} names a location that is not there`)
      const { document, devices } = found
      if (request.query.devices === undefined) return sendDocument(request, reply, document)
      const parts = [document.subarray(0, -1), Buffer.from(',"deviceList":'), devices, Buffer.from('}')]
      return sendDocument(request, reply, Buffer.concat(parts))
    },
  )
}
