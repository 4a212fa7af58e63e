import type { FastifyRequest } from 'fastify'
import type { CompleteUntil } from '../context.ts'
import { validationFailed } from '../../contract/errors/errors.ts'

/** Used when no module tracks completeness. */
export const nothingKnown: CompleteUntil = { isWarm: () => true, warm: async () => {}, at: () => null }

/** Refuses `require=complete` when no module tracks completeness. */
export async function noneComplete(request: FastifyRequest): Promise<void> {
  const { require } = request.query as { require?: string }
  if (require === undefined) return
  const detail = 'require depends on the module figures, which is off (TILLGATE_MODULES): omit it'
  throw validationFailed([{ in: 'query', pointer: '/require', code: 'invalid_value', detail }])
}
