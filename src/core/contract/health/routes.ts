import { Type } from 'typebox'
import { formatDuration } from '../../domain/days/durations.ts'
import { apiVersions } from './schema.ts'
import { closed } from '../scalars.ts'
import { ping, tryToWrite } from '../../store/db/server.ts'
import { within } from '../../store/db/patience.ts'
import { baseUrl } from '../../http/base-url.ts'
import type { Process, Shown, Writing } from '../../http/context.ts'
import type { App } from '../../http/server-types.ts'
import { AppError, type ProblemCode } from '../errors/errors.ts'
import { named, operation } from '../../http/reference/route-schema.ts'

type Context = Process & Shown & Pick<Writing, 'dataIsGone'>

/** Milliseconds that a probe waits for the database. Orchestrators usually wait one or two seconds for an answer. */
const readyMs = 1_500

const Probe = Type.Object({ status: Type.String({ examples: ['ok'] }) }, closed)

/** Throws if a push would be refused because of the database. */
async function assertTakesWrites({ dataIsGone, pool, availability }: Context): Promise<void> {
  if (dataIsGone())
    throw new AppError('database_unavailable', 'the database files are missing: the operator must check the server')
  await within(readyMs, tryToWrite(pool))
  if (!availability.isFull) return
  throw new AppError('database_full', undefined, { headers: { 'retry-after': '5' } })
}

/**
 * Adds the documented health operation, for a key of any scope, and the probes for an orchestrator, which need no key
 * (decision 0015). `/livez` checks nothing; `/readyz` checks the database and returns 503 while the process drains.
 */
export function healthRoutes(app: App, context: Context): void {
  const { pool, clock, startedAt, draining } = context
  app.get(
    '/health/',
    {
      config: { scope: 'any' },
      schema: operation({
        contract: true,
        operationId: 'getHealth',
        answer: 'The service and its database respond.',
        summary: 'Read the health of the service',
        description: 'Requires a key, like every operation of the specification. `/livez` and `/readyz` do not.',
        answers: { 200: named('Health') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      await ping(pool)
      const uptime = formatDuration(clock().getTime() - startedAt.getTime())
      const docURL = `${baseUrl(context, request)}/docs`
      return reply.send({ status: 'ok', uptime, apiVersions: apiVersions.join(', '), docURL })
    },
  )

  if (!context.operations) return
  const probe = (
    texts: { operationId: string; answer: string; summary: string; description: string },
    problems: ProblemCode[] = [],
  ) => operation({ tags: ['Health'], ...texts, answers: { 200: Probe }, problems, open: true })

  app.get(
    '/livez',
    {
      schema: probe({
        operationId: 'getLive',
        answer: 'The process is running.',
        summary: 'Check that the process is running',
        description: 'Liveness probe. It does not check the database.',
      }),
    },
    async () => ({ status: 'ok' }),
  )

  const ready = probe(
    {
      operationId: 'getReady',
      answer: 'The process and its database respond.',
      summary: 'Check that the process can serve requests',
      description: 'Readiness probe: 503 while the database is unreachable or full, and before the process stops.',
    },
    ['shutting_down'],
  )
  app.get('/readyz', { schema: ready }, async () => {
    if (draining.aborted) throw new AppError('shutting_down')
    await assertTakesWrites(context)
    return { status: 'ok' }
  })
}
