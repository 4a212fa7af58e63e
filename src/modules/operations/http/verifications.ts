import { AppError } from '../../../core/contract/errors/errors.ts'
import { asSeen } from '../projections/verifier.ts'
import { VerificationInput, type Verification, type VerificationList } from '../schemas/verifications.ts'
import { findVerification, listVerifications, verificationsKept, type VerificationRow } from '../store/verifications.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { Verifying } from '../context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { IdParams, named, operation } from '../../../core/http/reference/route-schema.ts'

/** Puts a stored verification into the shape of the response, without the fields that only the verifier needs. */
function toVerification({ done, doneHash, ...row }: VerificationRow): Verification {
  const { id, state, from, to, brokenAt, reason, startedAt, endedAt } = row
  return {
    id,
    state,
    from,
    to,
    verifiedTo: done,
    hash: doneHash,
    brokenAt,
    reason,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}

const config = { scope: 'read' } as const

const tags: [string] = ['Events']

function verifyJournalRoute(app: App, context: Verifying & Guarding): void {
  const { verifier } = context
  app.post(
    '/v1/journal/verifications',
    {
      config,
      schema: operation({
        tags,
        operationId: 'verifyJournal',
        answer: 'The started verification, or the one that is running.',
        summary: 'Start a verification of the journal',
        description:
          'Verifies the hash chain up to the head, from the end of the last verification; with `full`, from the first ' +
          'entry. A location runs one verification at a time; a running one is returned. Read its progress by its id.',
        body: VerificationInput,
        answers: { 202: named('Verification') },
        problems: ['scope_missing', 'body_invalid', 'body_too_large', 'media_type_unsupported'],
      }),
    },
    async (request, reply): Promise<Verification> => {
      const { key, body } = request
      const { row, isNew } = await verifier.begin(key.locationId, body.full ?? false)
      if (isNew) await context.access.act(key, 'journal.verified', row.id)
      reply.code(202)
      return toVerification(row)
    },
  )
}

function listVerificationsRoute(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/journal/verifications/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listVerifications',
        answer: 'Verifications, newest first.',
        summary: 'List verifications of the journal',
        description: `Lists verifications started over HTTP; the latest ${verificationsKept} are kept.`,
        answers: { 200: named('VerificationList') },
        problems: ['scope_missing'],
      }),
    },
    async ({ key }): Promise<VerificationList> => {
      const rows = await listVerifications(pool, key.locationId, verificationsKept)
      return { data: rows.map((row) => toVerification(asSeen(row, clock()))) }
    },
  )
}

function getVerificationRoute(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/journal/verifications/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getVerification',
        answer: 'The verification and its progress.',
        summary: 'Read a verification',
        description: 'Returns its progress and result.',
        params: IdParams,
        answers: { 200: named('Verification') },
        problems: ['scope_missing', 'verification_not_found'],
      }),
    },
    async ({ key, params }): Promise<Verification> => {
      const row = await findVerification(pool, key.locationId, params.id.toLowerCase())
      if (!row) throw new AppError('verification_not_found')
      return toVerification(asSeen(row, clock()))
    },
  )
}

/** Adds the operations that verify the journal of the location (docs/inside/03-journal.md). */
export function verificationRoutes(app: App, context: Verifying & Guarding & Process): void {
  verifyJournalRoute(app, context)
  listVerificationsRoute(app, context)
  getVerificationRoute(app, context)
}
