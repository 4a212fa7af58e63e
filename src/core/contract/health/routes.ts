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

/**
 * In milliseconds: a probe waits this long for the database. Orchestrators usually wait one or two seconds for an
 * answer.
 */
const readyMs = 1_500

/** The probes answer this body, which contains nothing else. */
const Probe = Type.Object({ status: Type.String({ examples: ['ok'] }) }, closed)

/** Throws where a push would be refused for the sake of the database. */
async function assertTakesWrites({ dataIsGone, pool, availability }: Context): Promise<void> {
  if (dataIsGone()) throw new AppError('database_unavailable', 'the files of the database are gone')
  await within(readyMs, tryToWrite(pool))
  if (!availability.isFull) return
  throw new AppError('database_full', 'the database refused a write for lack of room', {
    headers: { 'retry-after': '5' },
  })
}

/**
 * Adds the documented health operation, which needs a key of any scope, and the probes of an orchestrator, which need
 * none (decision 0015). `/livez` asks nothing; `/readyz` asks the database, and is 503 while the process drains.
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
        answer: 'The service and its database answer.',
        summary: 'Read the state of the service',
        description: 'Needs a key, as every operation of the specification does; `/livez` and `/readyz` do not.',
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
        answer: 'The process answers.',
        summary: 'The process answers',
        description: 'For a supervisor: the database is not asked.',
      }),
    },
    async () => ({ status: 'ok' }),
  )

  const ready = probe(
    {
      operationId: 'getReady',
      answer: 'The process and its database answer.',
      summary: 'The process and its database answer, and it is not about to stop',
      description: 'For a load balancer: 503 while the database is away or full, and before the process stops.',
    },
    ['shutting_down'],
  )
  app.get('/readyz', { schema: ready }, async () => {
    if (draining.aborted) throw new AppError('shutting_down')
    await assertTakesWrites(context)
    return { status: 'ok' }
  })
}
