import type {
  AdminActPage,
  AdminListAllActsQuery,
  AccessPage,
  AdminChangeLocationBody,
  AdminCreateKeyBody,
  AdminCreateLocationBody,
  AdminDeleted,
  AdminDeleteRejectedQuery,
  AdminGetOverviewQuery,
  AdminKey,
  AdminKeyMade,
  AdminKeyRevoked,
  AdminListActsQuery,
  AdminListKeysQuery,
  AdminListLocationNamesQuery,
  AdminListLocationsQuery,
  AdminListRejectedQuery,
  AdminListWebhooksQuery,
  AdminLocation,
  AdminLocationName,
  AdminMetrics,
  AdminOverviewOfOne,
  AdminRejected,
  AdminRejectedGroup,
  AdminRotateKeyBody,
  AdminSummariseRejectedQuery,
  AdminSettings,
  AdminSource,
  AdminSourceCheck,
  AdminSourceDetail,
  AdminSourceInput,
  AdminSourceList,
  AdminSystem,
  AdminWebhook,
} from './api.ts'
import { listByCursor, listByNumber } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Reads and changes the installation as its operator sees it. All of it needs a key with the scope `admin`. */
export class Admin {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists every location, with its settings. */
  locations(query: AdminListLocationsQuery & Options = {}): AsyncGenerator<AdminLocation> {
    return listByCursor(this.#transport, '/v1/admin/locations/', query)
  }

  /** Lists what locations are called: of some ids, or those that fit a text. */
  locationNames(query: AdminListLocationNamesQuery & Options = {}): AsyncGenerator<AdminLocationName> {
    return listByCursor(this.#transport, '/v1/admin/locations/names', query)
  }

  /** Reads one, a deactivated one too. Code `location_not_found`. */
  location(id: string, options: Options = {}): Promise<AdminLocation> {
    return this.#transport.json({ path: `/v1/admin/locations/${encodeURIComponent(id)}`, ...options })
  }

  createLocation(location: AdminCreateLocationBody, options: Options = {}): Promise<AdminLocation> {
    return this.#transport.json({ path: '/v1/admin/locations/', method: 'POST', json: location, ...options })
  }

  /** Changes what is given, deactivates and activates. Code `location_not_found`. */
  changeLocation(id: string, change: AdminChangeLocationBody, options: Options = {}): Promise<AdminLocation> {
    const path = `/v1/admin/locations/${encodeURIComponent(id)}`
    return this.#transport.json({ path, method: 'PATCH', json: change, ...options })
  }

  /** Lists keys, without the keys themselves: those are shown once, when they are made. */
  keys(query: AdminListKeysQuery & Options = {}): AsyncGenerator<AdminKey> {
    return listByCursor(this.#transport, '/v1/admin/keys/', query)
  }

  createKey(key: AdminCreateKeyBody, options: Options = {}): Promise<AdminKeyMade> {
    return this.#transport.json({ path: '/v1/admin/keys/', method: 'POST', json: key, ...options })
  }

  /** Makes the next key of the same rights; the old one goes on for as long as is asked. Code `key_not_found`. */
  rotateKey(id: string, rotation: AdminRotateKeyBody = {}, options: Options = {}): Promise<AdminKeyMade> {
    const path = `/v1/admin/keys/${encodeURIComponent(id)}/rotation`
    return this.#transport.json({ path, method: 'POST', json: rotation, ...options })
  }

  revokeKey(id: string, options: Options = {}): Promise<AdminKeyRevoked> {
    return this.#transport.json({ path: `/v1/admin/keys/${encodeURIComponent(id)}`, method: 'DELETE', ...options })
  }

  /** Records of tills that could not be stored, with their faults. */
  rejected(query: AdminListRejectedQuery & Options): AsyncGenerator<AdminRejected> {
    return listByCursor(this.#transport, '/v1/admin/rejected/', query)
  }

  /** Lists the same, counted by location and code. */
  rejectedSummary(query: AdminSummariseRejectedQuery & Options = {}): AsyncGenerator<AdminRejectedGroup> {
    return listByCursor(this.#transport, '/v1/admin/rejected/summary', query)
  }

  deleteRejected({ signal, ...query }: AdminDeleteRejectedQuery & Options): Promise<AdminDeleted> {
    return this.#transport.json({ path: '/v1/admin/rejected/', method: 'DELETE', query, signal })
  }

  /** The webhooks of all locations, and how each stands. */
  webhooks(query: AdminListWebhooksQuery & Options = {}): AsyncGenerator<AdminWebhook> {
    return listByCursor(this.#transport, '/v1/admin/webhooks/', query)
  }

  /** Lists the systems whose sales are read, of one location or of all. */
  sources({ location, ...options }: { location?: string } & Options = {}): Promise<AdminSourceList> {
    return this.#transport.json({ path: '/v1/admin/sources/', query: { location }, ...options })
  }

  /** Reads one, with its days beside what the system says and what became of its documents. Code `source_not_found`. */
  source(id: string, options: Options = {}): Promise<AdminSourceDetail> {
    return this.#transport.json({ path: `/v1/admin/sources/${encodeURIComponent(id)}`, ...options })
  }

  /** Adds one, paused. The secret is named, and never sent. */
  addSource(source: AdminSourceInput, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({ path: '/v1/admin/sources/', method: 'POST', json: source, ...options })
  }

  /** Resolves to what a source would store of yesterday; stores nothing. Code `source_failed`. */
  checkSource(id: string, options: Options = {}): Promise<AdminSourceCheck> {
    return this.#transport.json({
      path: `/v1/admin/sources/${encodeURIComponent(id)}/check`,
      method: 'POST',
      ...options,
    })
  }

  pauseSource(id: string, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({
      path: `/v1/admin/sources/${encodeURIComponent(id)}/pause`,
      method: 'POST',
      ...options,
    })
  }

  resumeSource(id: string, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({
      path: `/v1/admin/sources/${encodeURIComponent(id)}/resume`,
      method: 'POST',
      ...options,
    })
  }

  /** Has a source read now, and again what was refused. Code `source_inactive`. */
  runSource(id: string, options: Options = {}): Promise<AdminSource> {
    return this.#transport.json({ path: `/v1/admin/sources/${encodeURIComponent(id)}/run`, method: 'POST', ...options })
  }

  /** Deletes one; what it stored stays. */
  deleteSource(id: string, options: Options = {}): Promise<AdminDeleted> {
    return this.#transport.json({ path: `/v1/admin/sources/${encodeURIComponent(id)}`, method: 'DELETE', ...options })
  }

  /** Lists every location with what needs attention there. */
  overview(query: AdminGetOverviewQuery & Options = {}): AsyncGenerator<AdminOverviewOfOne> {
    return listByCursor(this.#transport, '/v1/admin/overview', query)
  }

  /** Versions, sizes and migrations. */
  system(options: Options = {}): Promise<AdminSystem> {
    return this.#transport.json({ path: '/v1/admin/system', ...options })
  }

  /** Resolves to what the process that answers is set to; what holds a password is never shown. */
  settings(options: Options = {}): Promise<AdminSettings> {
    return this.#transport.json({ path: '/v1/admin/settings', ...options })
  }

  /** How often each route was called, how that ended and how long it took. */
  metrics(options: Options = {}): Promise<AdminMetrics> {
    return this.#transport.json({ path: '/v1/admin/metrics', ...options })
  }

  /** Lists what was done by hand at the installation and all locations, newest first. */
  acts(query: AdminListAllActsQuery & Options = {}): AsyncGenerator<AdminActPage['data'][number]> {
    return listByCursor(this.#transport, '/v1/admin/acts/', query)
  }

  /** Lists what was done by hand, oldest first: of one location, or on the installation. */
  audit(query: Omit<AdminListActsQuery, 'sort'> & Options = {}): AsyncGenerator<AccessPage['data'][number]> {
    return listByNumber(this.#transport, '/v1/admin/audit/', query)
  }
}
