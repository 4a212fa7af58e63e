import { addressBlock } from '../../../core/domain/addresses/addresses.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { isSigned, signatureHeader } from '../polling/bell.ts'
import { readSecret } from '../polling/secrets.ts'
import { hastenSource, type SourceRow } from '../store/sources.ts'
import { RateLimiter } from '../../../core/http/guard/rate-limit.ts'
import type { Process, Shown } from '../../../core/http/context.ts'
import type { Polling } from '../context.ts'
import { IdParams, named, operation } from '../../../core/http/reference/route-schema.ts'
import type { App } from '../../../core/http/server-types.ts'

/**
 * Limits of notifications per network. A refused notification loses nothing, because the source is read without it too.
 */
const rings = { perSecond: 2, burst: 120 }

/** Returns the same answer for every reason, so that it does not reveal which sources exist. */
const refused = () =>
  new AppError(
    'bell_refused',
    'the source is unknown, accepts no notifications, or the signature is not valid: check the URL in the point-of-sale system and the signing key of the source',
  )

/** Returns the URL that is registered with the system; some systems include it in the signed text. */
function addressOf(
  { publicUrl }: Pick<Shown, 'publicUrl'>,
  request: { protocol: string; host: string },
  id: string,
): string {
  return `${publicUrl ?? `${request.protocol}://${request.host}`}/v1/sources/${id}/bell`
}

/** Adds the endpoint for a system's notifications of changes: it only begins a run, and carries no data. */
export function sourceBellRoutes(app: App, context: Process & Shown & Polling): void {
  const { pool, clock, polling, bells } = context
  const limiter = new RateLimiter(rings.perSecond, rings.burst, 'a source can send two notifications per second')

  const isFrom = async ({ adapter, bellSecret }: SourceRow, given: unknown, body: Buffer, url: string) => {
    if (bellSecret === null || typeof given !== 'string') return false
    const key = await readSecret(bellSecret, polling.limits).catch(() => undefined)
    return key !== undefined && isSigned(adapter, { key, given, body, url })
  }

  app.post(
    '/v1/sources/:id/bell',
    {
      config: { keepsBytes: true },
      schema: operation({
        tags: ['Ingest'],
        operationId: 'ringSource',
        answer: 'The notification was accepted.',
        summary: 'Notify Tillgate of a change in a source',
        description:
          'Receives webhooks of the point-of-sale system, which it signs with its key; the body is ignored. The source is then read immediately, as in a regular run, so ' +
          'a lost or forged notification does no harm.',
        params: IdParams,
        answers: { 200: named('SourceBell') },
        problems: ['bell_refused', 'rate_limited', 'body_invalid', 'body_too_large', 'media_type_unsupported'],
        open: true,
      }),
    },
    async (request) => {
      limiter.take(addressBlock(request.ip), clock().getTime())
      const id = request.params.id.toLowerCase()
      const source = bells.fresh(id) ?? (await bells.lookUp(id))
      const header = source && signatureHeader(source.adapter)
      if (!source || header === undefined) throw refused()
      const body = request.bodyBytes ?? Buffer.alloc(0)
      const url = addressOf(context, request, request.params.id)
      if (!(await isFrom(source, request.headers[header], body, url))) throw refused()
      return { rung: await hastenSource(pool, source.locationId, source.id, clock()) }
    },
  )
}
