import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { addLocation, changeLocation, locationFields } from '../../../../core/acts/locations.ts'
import { checkSettings, settingNames, settingsOf } from '../../../../core/contract/location/settings.ts'
import { breakerThreshold } from '../../../../core/domain/journal/retry-schedule.ts'
import { AppError, validationFailed } from '../../../../core/contract/errors/errors.ts'
import { defaultLocationSettings } from '../../../../core/ingest/write/locations.ts'
import { AdminLocationChange, AdminLocationInput, type AdminLocation } from '../../schemas/admin.ts'
import type { Location, LocationSettings } from '../../../../core/contract/location/schema.ts'
import { closed } from '../../../../core/contract/scalars.ts'
import { listLocationFacts } from '../../store/admin.ts'
import { peekSales } from '../../../figures/projections/sales-answer.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { findLocation, listSomeLocations, type LocationRow } from '../../../../core/contract/location/rows.ts'
import { findDeletedEnd } from '../../../../core/store/repair/location-states.ts'
import type { Guarding, Process, Reading } from '../../../../core/http/context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { IdParams, named, operation } from '../../../../core/http/reference/route-schema.ts'
import { locationPage, pageQuery } from '../../../../core/http/parameters/location-pages.ts'
import { dayMs } from '../../../../core/domain/days/time-units.ts'

/** Makes an error for a fault of the body that its schema cannot express. */
const fault = (pointer: string, detail: string) =>
  validationFailed([{ in: 'body', pointer, code: 'invalid_value', detail }])

/**
 * Returns the complete settings, with the canonical name of the zone. Throws 400 for an invalid zone, currency or day.
 */
function readSettings(given: LocationSettings): LocationSettings {
  const read = checkSettings(given)
  if ('expected' in read) throw fault(`/${read.name}`, `${read.name} must be ${read.expected}`)
  return read
}

function notFound(id: string): never {
  throw new AppError('location_not_found', `location ${id} does not exist: see GET /v1/admin/locations/`)
}

/** Throws 400 for a blank name: people choose restaurants by name. */
function checkName({ name }: { name?: string }): void {
  if (name?.trim() === '') throw fault('/name', 'name must not be blank')
}

/** Returns only the given members, so that the others stay unchanged. */
const pick = <T extends object, Name extends keyof T>(from: T, names: readonly Name[]) =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Partial<
    Pick<T, Name>
  >

/** The figures of this many locations are read in parallel, each in its own snapshot. */
const figuresAtOnce = 5

/** Figures of the current business day of one location. */
type Today = AdminLocation['today']

/** Reads what each location has sold on its current business day. */
async function readToday(pool: Pool, ids: readonly string[], now: Date): Promise<Map<string, Today>> {
  const today = new Map<string, Today>()
  const salesRequest = { since: undefined, until: undefined, by: 'total', compare: undefined }
  const read = async (id: string) => {
    const sales = await peekSales(pool, id, salesRequest, now)
    const { orders, salesInclTax } = sales?.totals ?? {}
    today.set(
      id,
      sales ? { businessDay: sales.meta.since, orders: orders ?? 0, salesInclTax: salesInclTax ?? 0 } : null,
    )
  }
  for (let at = 0; at < ids.length; at += figuresAtOnce) {
    await Promise.all(ids.slice(at, at + figuresAtOnce).map(read))
  }
  return today
}

const config = { scope: 'admin' } as const

const tags: [string] = ['Admin']

type Describing = Process & Pick<Reading, 'watermarks'>

const describe = async (
  { pool, clock, watermarks }: Describing,
  rows: readonly LocationRow[],
): Promise<AdminLocation[]> => {
  const rejectedSince = new Date(clock().getTime() - dayMs)
  const ids = rows.map(({ id }) => id)
  for (const id of ids) await watermarks.warm(id)
  const facts = await listLocationFacts(pool, ids, { rejectedSince, breakerThreshold })
  const todayOf = await readToday(pool, ids, clock())
  const byId = new Map(facts.map((fact) => [fact.id, fact]))
  return rows.flatMap((row) => {
    const fact = byId.get(row.id)
    if (!fact) return []
    const { name, city } = JSON.parse(row.document) as Location
    const { enabled, failing, disabled } = fact
    return {
      id: row.id,
      name,
      city,
      ...settingsOf(row),
      createdAt: fact.createdAt.toISOString(),
      deactivatedAt: row.deactivatedAt?.toISOString() ?? null,
      sequence: fact.sequence,
      lastAcceptedAt: fact.lastAcceptedAt?.toISOString() ?? null,
      lastOrderAt: fact.lastOrderAt?.toISOString() ?? null,
      today: todayOf.get(row.id) ?? null,
      openOrders: fact.openOrders,
      rejected24h: fact.rejected,
      webhooks: { enabled, failing, disabled },
      completeUntil: watermarks.at(row.id, fact.sequence),
      backupAt: fact.backupAt?.toISOString() ?? null,
    }
  })
}

const readOne = async (context: Describing, id: string) =>
  (await describe(context, await listSomeLocations(context.pool, { ids: [id], after: null, limit: 1 })))[0]

function adminListLocationsRoute(app: App, context: Describing): void {
  const { pool } = context
  app.get(
    '/v1/admin/locations/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListLocations',
        answer: 'Page of locations, ordered by id.',
        summary: 'List locations',
        description: 'Returns all locations with their settings, including deactivated ones.',
        query: Type.Object(pageQuery, closed),
        answers: { 200: named('AdminLocationPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { rows, meta } = await locationPage(pool, request.query)
      return { data: await describe(context, rows), meta }
    },
  )
}

function adminCreateLocationRoute(app: App, context: Guarding & Describing): void {
  const { access } = context
  app.post(
    '/v1/admin/locations/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminCreateLocation',
        answer: 'The new location.',
        summary: 'Create a location',
        description: 'The location starts with an empty journal; create keys separately.',
        body: AdminLocationInput,
        answers: { 201: named('AdminLocation') },
        problems: ['scope_missing', 'location_exists', 'body_invalid', 'body_too_large', 'media_type_unsupported'],
      }),
    },
    async (request, reply) => {
      const { body } = request
      checkName(body)
      const id = body.id?.toLowerCase() ?? randomUUID()
      const settings = readSettings({ ...defaultLocationSettings, ...pick(body, settingNames) })
      // A new journal with this id would replace the deleted one in the backups.
      if ((await findDeletedEnd(context.pool, id)) !== undefined && !(await findLocation(context.pool, id)))
        throw new AppError(
          'location_exists',
          `location ${id} was deleted: use another id, or ask the operator to restore it`,
        )
      const made = await addLocation(access.acting(request), id, { fields: pick(body, locationFields), settings })
      if (!made) throw new AppError('location_exists', `location ${id} already exists: use another id, or omit it`)
      return reply.code(201).send(await readOne(context, id))
    },
  )
}

function adminGetLocationRoute(app: App, context: Describing): void {
  app.get(
    '/v1/admin/locations/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetLocation',
        answer: 'The location with its settings and state.',
        summary: 'Read a location',
        description: 'Returns one location as in the list, even if deactivated.',
        params: IdParams,
        answers: { 200: named('AdminLocation') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async ({ params }) => (await readOne(context, params.id.toLowerCase())) ?? notFound(params.id),
  )
}

function adminChangeLocationRoute(app: App, context: Guarding & Describing): void {
  const { access, hints } = context
  app.patch(
    '/v1/admin/locations/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminChangeLocation',
        answer: 'The changed location.',
        summary: 'Change a location',
        description:
          'Omitted fields stay unchanged; `eReportingCategories`, `retiredDevices` and `paymentKinds` are replaced as a whole. A new time zone or ' +
          'start of the day rebuilds the figures; new kinds of payments or a new currency rebuild the checks of the Z reports. A new currency converts nothing.',
        params: IdParams,
        body: AdminLocationChange,
        answers: { 200: named('AdminLocation') },
        problems: ['scope_missing', 'location_not_found', 'body_invalid', 'body_too_large', 'media_type_unsupported'],
      }),
    },
    async (request) => {
      const { body } = request
      checkName(body)
      const id = request.params.id.toLowerCase()
      await changeLocation(access.acting(request), id, {
        fields: pick(body, locationFields),
        settingsFrom: (before) => readSettings({ ...before, ...pick(body, settingNames) }),
      })
      // New settings cause the figures to be rebuilt and the business days to be checked again.
      hints.committed(id)
      return readOne(context, id)
    },
  )
}

export function adminLocationRoutes(app: App, context: Guarding & Describing): void {
  adminListLocationsRoute(app, context)
  adminCreateLocationRoute(app, context)
  adminGetLocationRoute(app, context)
  adminChangeLocationRoute(app, context)
}
