import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../core/contract/errors/errors.ts'
import type { ReadRange } from '../../../core/http/context.ts'
import { findIncomplete } from '../projections/require-complete.ts'
import type { Process } from '../../../core/http/context.ts'
import { whenBuilt } from './figures-building.ts'

/** An error lists at most this many days. */
const namedDays = 31

/** Throws 409 if a caller requires complete business days and the range has incomplete ones. */
export async function requireComplete(
  { pool, clock }: Process,
  request: FastifyRequest,
  range: ReadRange,
): Promise<void> {
  const { require } = request.query as { require?: 'complete' }
  if (require === undefined) return
  const found = await whenBuilt(findIncomplete(pool, request.key.locationId, range, clock()))
  if (!found) return
  const { days, devices } = found
  const names = devices.map(({ deviceName, deviceId }) => deviceName ?? deviceId).join(', ')
  const waited = names === '' ? '' : `; still waiting for ${names}`
  const what =
    days.length > 1
      ? `business days ${days[0]} and ${days.length - 1} more are not complete`
      : `business day ${days[0]} is not complete`
  throw new AppError('incomplete', `${what}${waited}: try again later, or omit require`, {
    members: { days: days.slice(0, namedDays), devices },
  })
}
