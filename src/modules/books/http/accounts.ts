import { Type } from 'typebox'
import { accountFaults } from '../domain/account-faults.ts'
import { effectiveAccounts } from '../domain/accounts.ts'
import { changesBetween } from '../../../core/domain/accounts/act-changes.ts'
import { AppError, validationFailed, type Fault } from '../../../core/contract/errors/errors.ts'
import { setBookAccounts } from '../store/accounts.ts'
import { BookAccountsOwn, type BookAccounts } from '../schemas/books-accounts.ts'
import { getBookAccounts, type BookAccountsRow } from '../store/book-accounts.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import type { Reading, Guarding, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { isKnown } from '../../../core/http/answers/replies.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/** Maximum size of a mapping, in bytes: people write it, so it is small. */
const longestBytes = 64 * 1024

const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'The `ETag` of the accounts to change; required.', examples: ['"3"'] }),
  ),
})

const toAnswer = ({ version, seq, own }: BookAccountsRow): BookAccounts => ({
  version,
  sequence: seq,
  own,
  effective: effectiveAccounts(own),
})

const tagOf = ({ version }: Pick<BookAccountsRow, 'version'>) => `"${version}"`

function checkOwn(own: BookAccountsOwn): void {
  const faults: Fault[] = accountFaults(own).map((one) => ({ in: 'body', code: 'invalid_value', ...one }))
  if (Buffer.byteLength(JSON.stringify(own)) > longestBytes)
    faults.push({
      in: 'body',
      pointer: '',
      code: 'too_long',
      detail: `the accounts must be at most ${longestBytes / 1024} KiB as JSON`,
    })
  if (faults.length > 0) throw validationFailed(faults)
}

const tags: [string] = ['Books']

function getBookAccountsRoute(app: App, context: Reading & Process): void {
  const { pool } = context
  app.get(
    '/v1/books/accounts',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'getBookAccounts',
        headers: ['ETag'],
        answer: 'The current accounts.',
        summary: 'Read the accounts',
        description:
          'Returns the settings of the location, and the accounts that result from them and the French defaults.',
        isNumbered: true,
        answers: { 200: named('BookAccounts') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      await reachNumber(context, request)
      const { locationId } = request.key
      const [row, head] = await Promise.all([getBookAccounts(pool, locationId), findHead(pool, locationId)])
      const tag = tagOf(row)
      reply
        .header('tillgate-sequence', head?.seq ?? 0)
        .header('etag', tag)
        .header('cache-control', 'private, no-cache')
      if (isKnown(request, tag)) return reply.code(304).send()
      request.handedOut = { documents: 1 }
      return reply.send(toAnswer(row))
    },
  )
}

function setBookAccountsRoute(app: App, { pool, clock, hints, seenHeads, access }: Guarding & Process): void {
  app.put(
    '/v1/books/accounts',
    {
      config: { scope: 'books' },
      schema: operation({
        tags,
        operationId: 'setBookAccounts',
        answer: 'The current accounts after the change.',
        summary: 'Set the accounts',
        description:
          'Replaces all of `own`; omitted accounts have the default. Creates a new version, which applies to entries issued from then on; ' +
          'issued entries do not change. Payments with `cash` count as cash in the drawer, also in the checks of Z reports. `If-Match` is required.',
        body: BookAccountsOwn,
        requestHeaders: IfMatch,
        answers: { 200: named('BookAccounts') },
        problems: ['scope_missing', 'accounts_changed'],
      }),
    },
    async (request, reply) => {
      const own = request.body as BookAccountsOwn
      const { locationId } = request.key
      const expected = request.headers['if-match']
      if (expected === undefined) {
        const detail = 'if-match is required: send the ETag of the accounts to change'
        throw validationFailed([{ in: 'header', pointer: '/if-match', code: 'missing', detail }])
      }
      checkOwn(own)
      const seen = seenHeads.of(locationId)
      const done = await setBookAccounts(pool, locationId, own, {
        now: clock(),
        seen,
        holds: (row) => holds(expected, row),
      })
      if (done === undefined) throw new AppError('location_not_found')
      if ('current' in done) {
        const detail = `the accounts are at version ${done.current.version}: read them again, and send If-Match with the new ETag`
        throw new AppError('accounts_changed', detail, { headers: { etag: tagOf(done.current) } })
      }
      seenHeads.raise(locationId, done.set.seq)
      hints.committed(locationId)
      const changes = changesBetween({ ...done.before.own }, { ...done.set.own })
      await access.act(request.key, 'accounts.changed', String(done.set.version), changes)
      reply.header('etag', tagOf(done.set)).header('tillgate-sequence', done.set.seq)
      return toAnswer(done.set)
    },
  )
}

export function bookAccountRoutes(app: App, context: Reading & Guarding & Process): void {
  getBookAccountsRoute(app, context)
  setBookAccountsRoute(app, context)
}

/** Returns whether `If-Match` has the version, with or without quotes, or `*` for any (RFC 9110, 13.1.1). */
function holds(expected: string, { version }: Pick<BookAccountsRow, 'version'>): boolean {
  return expected.split(',').some((tag) => ['*', `"${version}"`, String(version)].includes(tag.trim()))
}
