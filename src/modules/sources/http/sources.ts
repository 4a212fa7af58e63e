import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { changesBetween } from '../../../core/domain/accounts/act-changes.ts'
import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { signatureHeader } from '../polling/bell.ts'
import { findSourceFailure, previewSource, type Preview } from '../polling/preview.ts'
import { secretFault, type SourceLimits } from '../polling/limits.ts'
import {
  AdminSourceInput,
  type AdminSource,
  type AdminSourceCheck,
  type AdminSourceDetail,
} from '../schemas/sources.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { listComparedDays } from '../store/days.ts'
import { countNotices, hastenNotices, listNotices } from '../store/notices.ts'
import {
  deleteSource,
  findSourceAnywhere,
  hastenSource,
  insertSource,
  listAllSources,
  listSources,
  pauseSource,
  resumeSource,
  type SourceRow,
} from '../store/sources.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { Polling } from '../context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { IdParams, named, operation } from '../../../core/http/reference/route-schema.ts'
import { locationParameter } from '../../../core/http/parameters/location-pages.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

const listedAtMost = 1_000

const noticesAtMost = 200

/** Number of business days shown for a source. */
const daysShown = 14

const refusedShown = 50
const leftShown = 200

/** Maximum characters of a refused document that are shown before anything is stored. */
const documentShown = 16_384

const iso = (at: Date | null) => at?.toISOString() ?? null

const toSource = (row: SourceRow): AdminSource => ({
  id: row.id,
  locationId: row.locationId,
  source: row.adapter as AdminSource['source'],
  account: row.account,
  state: row.state === 'active' && row.failures > 0 ? 'failing' : row.state,
  secret: row.secret,
  hasBell: row.bellSecret !== null,
  everySeconds: row.everySeconds,
  createdAt: row.createdAt.toISOString(),
  readsFrom: row.readsFrom.toISOString(),
  storedFrom: iso(row.storedFrom),
  readUntil: row.cursor === null ? null : new Date(row.cursor).toISOString(),
  beganAt: iso(row.beganAt),
  succeededAt: iso(row.succeededAt),
  nextRunAt: iso(row.dueAt),
  failures: row.failures,
  failingSince: iso(row.failingSince),
  lastError: row.lastError,
  accepted: row.accepted,
  comparedAt: iso(row.comparedAt),
})

const toCheck = (preview: Preview): AdminSourceCheck => ({
  date: preview.day,
  currency: preview.currency,
  documents: preview.documents,
  orders: preview.orders,
  sales: preview.sales,
  here: preview.paidHere,
  there: preview.paidThere,
  difference: preview.paidHere - preview.paidThere,
  isCut: preview.isCut,
  left: preview.left.slice(0, leftShown).map(({ key, reason }) => ({ key, reason })),
  refused: preview.refused
    .slice(0, refusedShown)
    .map(({ key, reason, rejection }) => ({ key, reason, document: rejection?.record.slice(0, documentShown) ?? '' })),
  unmapped: preview.unmapped.slice(0, 50).map(([member, count]) => ({ member, count })),
})

async function getSource({ pool }: Pick<Process, 'pool'>, id: string): Promise<SourceRow> {
  const source = await findSourceAnywhere(pool, id.toLowerCase())
  if (!source) throw new AppError('source_not_found', `source ${id} does not exist: see GET /v1/admin/sources/`)
  return source
}

async function toDetail({ pool, clock }: Process, source: SourceRow): Promise<AdminSourceDetail> {
  const location = await findLocation(pool, source.locationId)
  if (!location)
    throw new AppError(
      'location_not_found',
      `location ${source.locationId} does not exist: see GET /v1/admin/locations/`,
    )
  const from = addDays(businessTime(location).dayOf(clock().getTime()), -daysShown)
  const [days, notices, reasons] = await Promise.all([
    listComparedDays(pool, source, from),
    listNotices(pool, source, noticesAtMost),
    countNotices(pool, source),
  ])
  return {
    ...toSource(source),
    currency: location.currency,
    days: days.map(({ day, here, there, comparedAt, rereadAt }) => ({
      date: day,
      here,
      there,
      difference: here - there,
      comparedAt: comparedAt.toISOString(),
      rereadAt: iso(rereadAt),
    })),
    notices: notices.map(({ key, kind, reason, at, tries, dueAt, rejectedId }) => ({
      key,
      kind,
      reason,
      at: at.toISOString(),
      tries,
      nextTryAt: iso(dueAt),
      rejectedId,
    })),
    reasons: reasons.map(({ kind, reason, n }) => ({ kind, reason, count: n })),
  }
}

function checkReference(pointer: string, reference: string | undefined, limits: SourceLimits): void {
  const fault = reference === undefined ? undefined : secretFault(reference, limits)
  if (fault !== undefined)
    throw validationFailed([{ in: 'body', pointer, code: 'invalid_format', detail: `${pointer.slice(1)}: ${fault}` }])
}

const defaultDays = 31

const tags: [string] = ['Admin']
const config = { scope: 'admin' } as const

export function adminSourceRoutes(app: App, context: Polling & Guarding & Process): void {
  addLists(app, context)
  addAdding(app, context)
  addDeleting(app, context)
  addChecking(app, context)
  addActs(app, context)
}

function addLists(app: App, context: Process): void {
  const { pool } = context
  app.get(
    '/v1/admin/sources/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListSources',
        answer: 'Sources, oldest first.',
        summary: 'List sources',
        description:
          'Returns the sources of a location, or of the installation, with their progress and the result of the last run.',
        query: Type.Object({ location: locationParameter }, closed),
        answers: { 200: named('AdminSourceList') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { location } = request.query
      const rows =
        location === undefined
          ? await listAllSources(pool, listedAtMost)
          : await listSources(pool, location.toLowerCase())
      return { data: rows.slice(0, listedAtMost).map(toSource) }
    },
  )

  app.get(
    '/v1/admin/sources/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetSource',
        answer: 'The source with its days and skipped or refused documents.',
        summary: 'Read a source',
        description:
          'Includes the last 14 business days compared with the point-of-sale system, and skipped or refused documents.',
        params: IdParams,
        answers: { 200: named('AdminSourceDetail') },
        problems: ['scope_missing', 'source_not_found', 'location_not_found'],
      }),
    },
    async (request) => toDetail(context, await getSource(context, request.params.id)),
  )
}

function addAdding(app: App, context: Guarding & Process & Polling): void {
  const { pool, clock, access, polling } = context
  app.post(
    '/v1/admin/sources/',
    {
      config: { ...config, acts: true },
      schema: operation({
        tags,
        operationId: 'adminAddSource',
        answer: { 201: 'The new source, which is paused.' },
        summary: 'Add a system to read sales from',
        description:
          'The source is paused: check what it would store (`/check`), then resume it. Only a reference to the secret is sent.',
        body: AdminSourceInput,
        answers: { 201: named('AdminSource') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async (request, reply) => {
      const { body } = request
      checkReference('/secret', body.secret, polling.limits)
      checkReference('/bellSecret', body.bellSecret, polling.limits)
      if (body.bellSecret !== undefined && signatureHeader(body.source) === undefined) {
        const detail = `bellSecret: ${body.source} does not support it; remove it`
        throw validationFailed([{ in: 'body', pointer: '/bellSecret', code: 'invalid_value', detail }])
      }
      const locationId = body.locationId.toLowerCase()
      if (!(await findLocation(pool, locationId)))
        throw new AppError('location_not_found', `location ${locationId} does not exist: see GET /v1/admin/locations/`)
      const now = clock()
      const { source: adapter, account } = body
      const source = {
        locationId,
        id: randomUUID(),
        adapter,
        account,
        secret: body.secret,
        bellSecret: body.bellSecret ?? null,
        baseUrl: null,
        profile: {},
        everySeconds: body.everySeconds ?? 300,
        createdAt: now,
        readsFrom: body.since === undefined ? new Date(now.getTime() - defaultDays * dayMs) : new Date(body.since),
      }
      await insertSource(pool, source)
      const changes = changesBetween(null, { source: adapter, account })
      await access.acting(request).note(locationId, { act: 'source.added', subject: source.id, changes })
      reply.code(201).header('location', `/v1/admin/sources/${source.id}`)
      return toSource(await getSource(context, source.id))
    },
  )
}

function addDeleting(app: App, context: Guarding & Process): void {
  const { pool, access } = context
  app.delete(
    '/v1/admin/sources/:id',
    {
      config: { ...config, acts: true },
      schema: operation({
        tags,
        operationId: 'adminDeleteSource',
        answer: 'The source was deleted.',
        summary: 'Delete a source',
        description: 'Its stored records remain.',
        params: IdParams,
        answers: { 200: named('AdminDeleted') },
        problems: ['scope_missing', 'source_not_found'],
      }),
    },
    async (request) => {
      const { locationId, id, adapter, account } = await getSource(context, request.params.id)
      await deleteSource(pool, locationId, id)
      const changes = changesBetween({ source: adapter, account }, null)
      await access.acting(request).note(locationId, { act: 'source.deleted', subject: id, changes })
      return { deleted: 1 }
    },
  )
}

function addChecking(app: App, context: Polling & Process): void {
  const { clock, polling } = context
  app.post(
    '/v1/admin/sources/:id/check',
    {
      config: { ...config, acts: true },
      schema: operation({
        tags,
        operationId: 'adminCheckSource',
        answer: 'Records of the last ended business day that the source would store.',
        summary: 'Show what a source would store',
        description:
          'Reads changes since the start of that day and compares them with the totals of the point-of-sale system. Stores nothing.',
        params: IdParams,
        answers: { 200: named('AdminSourceCheck') },
        problems: ['scope_missing', 'source_not_found', 'source_failed'],
      }),
    },
    async (request) => {
      const source = await getSource(context, request.params.id)
      try {
        return toCheck(await previewSource(source, { ...polling, clock }))
      } catch (error) {
        const failure = findSourceFailure(error)
        if (failure === undefined) throw error
        throw new AppError('source_failed', failure)
      }
    },
  )
}

/** Returns the actions of an operator on a source, by the last part of its path. */
const actsOf = ({ pool, clock }: Process) =>
  ({
    pause: {
      act: 'source.paused',
      operationId: 'adminPauseSource',
      answer: 'The paused source.',
      summary: 'Stop reading a source',
      description: 'Pauses the source. Documents that a run in progress has not stored are read when it is resumed.',
      work: ({ locationId, id }: SourceRow) => pauseSource(pool, locationId, id),
    },
    resume: {
      act: 'source.resumed',
      operationId: 'adminResumeSource',
      answer: 'The resumed source.',
      summary: 'Resume a source',
      description:
        'Continues where it stopped. The first time, sales are stored from now on; earlier changes are stored without events.',
      work: ({ locationId, id }: SourceRow) => resumeSource(pool, locationId, id, clock()),
    },
    run: {
      act: 'source.run',
      operationId: 'adminRunSource',
      answer: 'The source; it is read within seconds.',
      summary: 'Read a source now',
      description: 'A delivery worker reads it within seconds, including refused documents.',
      async work({ locationId, id, state }: SourceRow) {
        if (state !== 'active') throw new AppError('source_inactive', `the source is ${state}: resume it first`)
        await hastenSource(pool, locationId, id, clock())
        await hastenNotices(pool, { locationId, id }, clock())
      },
    },
  }) as const

function addActs(app: App, context: Guarding & Process): void {
  const { access } = context
  for (const [path, { act, operationId, answer, summary, description, work }] of Object.entries(actsOf(context))) {
    app.post(
      `/v1/admin/sources/:id/${path}`,
      {
        config: { ...config, acts: true },
        schema: operation({
          tags,
          operationId,
          answer,
          summary,
          description,
          params: IdParams,
          answers: { 200: named('AdminSource') },
          problems: ['scope_missing', 'source_not_found', ...(path === 'run' ? (['source_inactive'] as const) : [])],
        }),
      },
      async (request) => {
        const source = await getSource(context, request.params.id)
        await work(source)
        const after = await getSource(context, source.id)
        const changes = changesBetween({ state: source.state }, { state: after.state })
        await access.acting(request).note(source.locationId, { act, subject: source.id, changes })
        return toSource(after)
      },
    )
  }
}
